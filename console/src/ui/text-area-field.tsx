import { Field } from '@base-ui/react/field';
import type { ReactNode } from 'react';
import styles from './field.module.css';
import { FieldNotes } from './field-notes';

interface TextAreaFieldProps {
  label: string;
  name: string;
  value: string;
  onValueChange: (value: string) => void;
  description?: ReactNode;
  error?: string | undefined;
  placeholder?: string;
  /** Lines that are seen at once. */
  rows?: number;
}

/** A labelled text of several lines. */
export function TextAreaField(props: TextAreaFieldProps) {
  const { label, name, value, onValueChange, description, error, placeholder, rows = 4 } = props;
  return (
    <Field.Root name={name} invalid={Boolean(error)} className={styles.field}>
      <Field.Label className={styles.label}>{label}</Field.Label>
      <Field.Control
        render={<textarea rows={rows} placeholder={placeholder} />}
        autoComplete="off"
        spellCheck={false}
        className={styles.input}
        value={value}
        onValueChange={(next) => onValueChange(String(next))}
      />
      <FieldNotes description={description} error={error} />
    </Field.Root>
  );
}
