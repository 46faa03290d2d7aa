import { useState } from 'react';
import { Button } from '../ui/button';
import { DateField } from '../ui/date-field';
import { Toolbar } from '../ui/toolbar';
import { namedPeriods, periodProblem, type UsagePeriod } from './usage-period';
import styles from './usage-screen.module.css';

interface PeriodFieldsProps {
  period: UsagePeriod;
  onPeriodChange: (period: UsagePeriod) => void;
}

/** The first and the last day, and periods by name. */
export function PeriodFields({ period, onPeriodChange }: PeriodFieldsProps) {
  const [nowMs] = useState(Date.now);
  const set = (name: 'from' | 'to') => (day: string) => {
    const { [name]: _, ...rest } = period;
    onPeriodChange(day === '' ? rest : { ...rest, [name]: day });
  };
  return (
    <>
      <div className={styles.periods}>
        {namedPeriods(nowMs).map(({ label, period: named }) => (
          <Button key={label} onClick={() => onPeriodChange(named)}>
            {label}
          </Button>
        ))}
      </div>
      <Toolbar label="Period">
        <DateField
          label="First day (UTC)"
          name="from"
          value={period.from ?? ''}
          onValueChange={set('from')}
        />
        <DateField
          label="Last day (UTC)"
          name="to"
          value={period.to ?? ''}
          onValueChange={set('to')}
          error={periodProblem(period)}
        />
      </Toolbar>
    </>
  );
}
