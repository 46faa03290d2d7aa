import { Calendar } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Button } from './button';
import styles from './date-field.module.css';
import { type FieldProps, TextField } from './field';

const FIRST_DATE = '1900-01-01';
const LAST_DATE = '2199-12-31';

interface DateFieldProps extends FieldProps<string> {
  label: string;
  /** By default, what the service knows as dates. */
  min?: string;
  max?: string;
  placeholder?: string;
  /** In place of the browser's. */
  calendar?: ReactNode;
}

const COMPLETE = /^\d{4}-\d\d-\d\d$/;
const DIGITS = /^(\d{4})[-/.]?(\d\d)[-/.]?(\d\d)$/;

/** `2026-11-18` of `20261118` and `2026/11/18` too; other texts stay as they are. */
export function dateText(typed: string): string {
  return typed.trim().replace(DIGITS, '$1-$2-$3');
}

export function isWholeDate(text: string): boolean {
  return text === '' || COMPLETE.test(text);
}

/**
 * A date (`2026-11-18`, or '') in the form of the service, whatever the country of the browser; its
 * calendar is the browser's. Tells when a date is whole, and what was left unfinished.
 */
export function DateField({
  value,
  onValueChange,
  min = FIRST_DATE,
  max = LAST_DATE,
  placeholder = 'YYYY-MM-DD',
  calendar,
  ...field
}: DateFieldProps) {
  const [typed, setTyped] = useState(value);
  const picker = useRef<HTMLInputElement>(null);
  useEffect(() => setTyped(value), [value]);
  const tell = () => {
    if (dateText(typed) !== value) onValueChange(dateText(typed));
  };
  return (
    <TextField
      {...field}
      value={typed}
      placeholder={placeholder}
      inputMode="numeric"
      onValueChange={(text) => {
        setTyped(dateText(text));
        if (isWholeDate(dateText(text))) onValueChange(dateText(text));
      }}
      onBlur={tell}
      onKeyDown={({ key }) => key === 'Enter' && tell()}
      trailing={
        <span className={styles.picker}>
          {calendar ?? (
            <>
              <Button
                icon={Calendar}
                kind="quiet"
                aria-label={`Calendar: ${field.label}`}
                onClick={() => picker.current?.showPicker()}
              />
              <input
                ref={picker}
                type="date"
                tabIndex={-1}
                aria-hidden
                className={styles.native}
                {...{ min, max }}
                value={isWholeDate(value) ? value : ''}
                onChange={({ target }) => onValueChange(target.value)}
              />
            </>
          )}
        </span>
      }
    />
  );
}
