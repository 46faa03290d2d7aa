import { Field } from '@base-ui/react/field';
import type { ReactNode } from 'react';
import styles from './field.module.css';

interface FieldNotesProps {
  description?: ReactNode;
  /** What is wrong with the value; undefined or '' where nothing is. */
  error?: string | undefined;
}

/** What stands below a field: its explanation and what is wrong with its value. */
export function FieldNotes({ description, error }: FieldNotesProps) {
  return (
    <>
      {description && (
        <Field.Description className={styles.description}>{description}</Field.Description>
      )}
      <Field.Error match={Boolean(error)} className={styles.error}>
        {error}
      </Field.Error>
    </>
  );
}
