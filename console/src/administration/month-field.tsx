import { useEffect, useState } from 'react';
import { TextField } from '../ui/field';
import { monthProblem, monthText } from './month-range';

interface MonthFieldProps {
  label: string;
  name: string;
  /** `2026-11` */
  value: string;
  /** Told when a month is whole. */
  onValueChange: (value: string) => void;
  error: string;
}

/** A month that is typed as the service tells months, in every browser. */
export function MonthField({ value, onValueChange, error, ...field }: MonthFieldProps) {
  const [typed, setTyped] = useState(value);
  const [isLeft, setIsLeft] = useState(true);
  useEffect(() => setTyped(value), [value]);
  const problem = monthProblem(typed);
  return (
    <TextField
      {...field}
      value={typed}
      placeholder="YYYY-MM"
      inputMode="numeric"
      onValueChange={(text) => {
        const month = monthText(text);
        setTyped(month);
        setIsLeft(false);
        if (!monthProblem(month)) onValueChange(month);
      }}
      onBlur={() => setIsLeft(true)}
      onKeyDown={({ key }) => key === 'Enter' && setIsLeft(true)}
      error={problem && isLeft ? problem : error}
    />
  );
}
