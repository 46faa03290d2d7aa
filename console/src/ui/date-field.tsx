import { Calendar } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Button } from './button';
import styles from './date-field.module.css';
import { dateText, isWholeDate } from './date-text';
import { TextField } from './text-field';

const FIRST_DATE = '1900-01-01';
const LAST_DATE = '2199-12-31';

interface DateFieldProps {
  label: string;
  name: string;
  /** `2026-11-18`, or '' */
  value: string;
  /** Told when a date is whole, and of what was left unfinished. */
  onValueChange: (value: string) => void;
  description?: ReactNode;
  error?: string | undefined;
  /** By default, what the service knows as dates. */
  min?: string;
  max?: string;
}

/**
 * A date that is typed and shown as the service tells dates, whatever the country of the browser; its calendar is the
 * browser's.
 */
export function DateField({
  value,
  onValueChange,
  min = FIRST_DATE,
  max = LAST_DATE,
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
      placeholder="YYYY-MM-DD"
      inputMode="numeric"
      onValueChange={(text) => {
        setTyped(dateText(text));
        if (isWholeDate(dateText(text))) onValueChange(dateText(text));
      }}
      onBlur={tell}
      onKeyDown={({ key }) => key === 'Enter' && tell()}
      trailing={
        <span className={styles.picker}>
          <Button
            kind="quiet"
            aria-label={`Calendar: ${field.label}`}
            onClick={() => picker.current?.showPicker()}
          >
            <Calendar size={16} aria-hidden />
          </Button>
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
        </span>
      }
    />
  );
}
