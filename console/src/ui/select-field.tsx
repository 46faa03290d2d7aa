import { Field } from '@base-ui/react/field';
import { Select } from '@base-ui/react/select';
import { ChevronDown } from 'lucide-react';
import styles from './field.module.css';
import { FieldNotes } from './field-notes';

interface Option<T extends string> {
  readonly value: T;
  readonly label: string;
}

interface SelectFieldProps<T extends string> {
  label: string;
  name: string;
  value: T;
  options: readonly Option<T>[];
  onValueChange: (value: T) => void;
  description?: string;
  error?: string | undefined;
  isLabelHidden?: boolean;
}

/** A choice of one among few. */
export function SelectField<T extends string>({
  label,
  name,
  value,
  options,
  onValueChange,
  description,
  error,
  isLabelHidden = false,
}: SelectFieldProps<T>) {
  return (
    <Field.Root name={name} invalid={Boolean(error)} className={styles.field}>
      <Field.Label
        className={isLabelHidden ? 'visually-hidden' : styles.label}
        nativeLabel={false}
        render={<div />}
      >
        {label}
      </Field.Label>
      <Select.Root
        items={options}
        value={value}
        onValueChange={(next) => next !== null && onValueChange(next as T)}
        modal={false}
      >
        <Select.Trigger className={`${styles.input} ${styles.trigger}`}>
          <Select.Value />
          <Select.Icon>
            <ChevronDown size={16} aria-hidden />
          </Select.Icon>
        </Select.Trigger>
        <Select.Portal>
          <Select.Positioner sideOffset={4} alignItemWithTrigger={false}>
            <Select.Popup className={styles.popup}>
              <Select.List>
                {options.map((option) => (
                  <Select.Item key={option.value} value={option.value} className={styles.item}>
                    <Select.ItemText>{option.label}</Select.ItemText>
                  </Select.Item>
                ))}
              </Select.List>
            </Select.Popup>
          </Select.Positioner>
        </Select.Portal>
      </Select.Root>
      <FieldNotes description={description} error={error} />
    </Field.Root>
  );
}
