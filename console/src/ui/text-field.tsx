import { Field } from '@base-ui/react/field';
import type { ComponentProps, ReactNode } from 'react';
import styles from './field.module.css';
import { FieldNotes } from './field-notes';

type TextFieldProps = Omit<ComponentProps<typeof Field.Control>, 'onChange' | 'value'> & {
  label: string;
  name: string;
  value: string;
  onValueChange: (value: string) => void;
  description?: ReactNode;
  /** The problem with the value; undefined or '' if there is none. */
  error?: string | undefined;
  isLabelHidden?: boolean;
  /** A button at the end of the input. */
  trailing?: ReactNode;
};

/** A labelled input with its explanation and, beside it, what is wrong. */
export function TextField({
  label,
  name,
  description,
  error,
  isLabelHidden = false,
  onValueChange,
  trailing,
  ...rest
}: TextFieldProps) {
  return (
    <Field.Root name={name} invalid={Boolean(error)} className={styles.field}>
      <Field.Label className={isLabelHidden ? 'visually-hidden' : styles.label}>
        {label}
      </Field.Label>
      <div className={styles.control}>
        <Field.Control
          autoComplete="off"
          spellCheck={false}
          {...rest}
          className={styles.input}
          onValueChange={(value) => onValueChange(String(value))}
        />
        {trailing}
      </div>
      <FieldNotes description={description} error={error} />
    </Field.Root>
  );
}
