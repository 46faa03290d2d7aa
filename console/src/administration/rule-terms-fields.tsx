import { DateField } from '../ui/date-field';
import { TextAreaField } from '../ui/text-area-field';
import type { Problems } from '../ui/use-form';
import type { TermsFields } from './rule-fields';
import styles from './rule-terms-fields.module.css';

interface RuleTermsFieldsProps {
  values: TermsFields;
  errors: Problems;
  set: (name: 'start_date' | 'end_date' | 'universe_identifiers') => (value: string) => void;
}

/** Window and identifiers of a rule. */
export function RuleTermsFields({ values, errors, set }: RuleTermsFieldsProps) {
  return (
    <>
      <div className={styles.window}>
        <DateField
          label="First trade date"
          name="start_date"
          value={values.start_date}
          onValueChange={set('start_date')}
          error={errors.start_date}
          description="Leave empty to start with the first date."
        />
        <DateField
          label="Last trade date"
          name="end_date"
          value={values.end_date}
          onValueChange={set('end_date')}
          error={errors.end_date}
          description="Leave empty for no end date."
        />
      </div>
      <TextAreaField
        label="Identifiers"
        name="universe_identifiers"
        value={values.universe_identifiers}
        onValueChange={set('universe_identifiers')}
        error={errors.universe_identifiers}
        placeholder="AAPL, MSFT"
        rows={3}
        description="Tickers, permanent IDs, futures base symbols or option underlyings. Leave empty for all."
      />
    </>
  );
}
