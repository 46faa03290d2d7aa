import { Checkbox } from '@base-ui/react/checkbox';
import { Field } from '@base-ui/react/field';
import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import checkboxStyles from './checkbox-field.module.css';
import styles from './field.module.css';
import { FieldNotes } from './field-notes';

interface CheckboxFieldProps {
  label: ReactNode;
  name: string;
  isChecked: boolean;
  onCheckedChange: (isChecked: boolean) => void;
  description?: string;
  error?: string | undefined;
}

/** Yes or no. */
export function CheckboxField(props: CheckboxFieldProps) {
  const { label, name, isChecked, description, error } = props;
  return (
    <Field.Root name={name} invalid={Boolean(error)} className={styles.field}>
      <Field.Label className={checkboxStyles.label}>
        <Checkbox.Root
          checked={isChecked}
          onCheckedChange={(checked) => props.onCheckedChange(checked)}
          className={checkboxStyles.box}
        >
          <Checkbox.Indicator className={checkboxStyles.mark}>
            <Check size={14} strokeWidth={3} aria-hidden />
          </Checkbox.Indicator>
        </Checkbox.Root>
        {label}
      </Field.Label>
      <FieldNotes description={description} error={error} />
    </Field.Root>
  );
}
