import { Combobox } from '@base-ui/react/combobox';
import { Field } from '@base-ui/react/field';
import { Check, X } from 'lucide-react';
import fieldStyles from './field.module.css';
import { FieldNotes } from './field-notes';
import styles from './multi-combobox-field.module.css';

interface MultiComboboxFieldProps {
  label: string;
  name: string;
  /** In the order of choice, which is kept. */
  values: readonly string[];
  options: readonly string[];
  onValuesChange: (values: readonly string[]) => void;
  /** Shown while nothing is chosen. */
  placeholder: string;
  description?: string;
  error?: string | undefined;
}

function Chips({ values, placeholder }: Pick<MultiComboboxFieldProps, 'values' | 'placeholder'>) {
  return (
    <Combobox.Chips className={styles.chips}>
      {values.map((value) => (
        <Combobox.Chip key={value} className={styles.chip} aria-label={value}>
          {value}
          <Combobox.ChipRemove className={styles.remove} aria-label={`Remove ${value}`}>
            <X size={14} aria-hidden />
          </Combobox.ChipRemove>
        </Combobox.Chip>
      ))}
      <Combobox.Input
        className={styles.input}
        placeholder={values.length === 0 ? placeholder : ''}
        autoComplete="off"
        spellCheck={false}
      />
    </Combobox.Chips>
  );
}

function Options() {
  return (
    <Combobox.Portal>
      <Combobox.Positioner sideOffset={4} className={styles.positioner}>
        <Combobox.Popup className={fieldStyles.popup}>
          <Combobox.Empty>
            <p className={styles.empty}>Nothing matches</p>
          </Combobox.Empty>
          <Combobox.List>
            {(option: string) => (
              <Combobox.Item key={option} value={option} className={fieldStyles.item}>
                <span className={styles.mark}>
                  <Combobox.ItemIndicator>
                    <Check size={14} aria-hidden />
                  </Combobox.ItemIndicator>
                </span>
                {option}
              </Combobox.Item>
            )}
          </Combobox.List>
        </Combobox.Popup>
      </Combobox.Positioner>
    </Combobox.Portal>
  );
}

/** A choice of several among many, found by typing parts of their names. */
export function MultiComboboxField(props: MultiComboboxFieldProps) {
  const { label, name, values, options, error } = props;
  return (
    <Field.Root name={name} invalid={Boolean(error)} className={fieldStyles.field}>
      <Field.Label className={fieldStyles.label}>{label}</Field.Label>
      <Combobox.Root
        items={options}
        multiple
        value={[...values]}
        onValueChange={(next: string[]) => props.onValuesChange(next)}
        autoHighlight
      >
        <Combobox.InputGroup className={styles.group}>
          <Chips values={values} placeholder={props.placeholder} />
        </Combobox.InputGroup>
        <Options />
      </Combobox.Root>
      <FieldNotes description={props.description} error={error} />
    </Field.Root>
  );
}
