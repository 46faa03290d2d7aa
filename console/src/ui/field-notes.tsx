import { Field } from '@base-ui/react/field';
import type { ReactNode } from 'react';
import styles from './field.module.css';

interface FieldNotesProps {
  description?: ReactNode;
  /** The problem with the value; undefined or '' if there is none. */
  error?: string | undefined;
}

/** The description of a field and the problem with its value, shown below it. */
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
