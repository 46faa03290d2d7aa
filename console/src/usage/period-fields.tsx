import { useState } from 'react';
import { ChoiceGroup } from '../ui/choice-group';
import { DateField } from '../ui/date-field';
import { Toolbar } from '../ui/toolbar';
import {
  monthSoFar,
  namedPeriods,
  periodLabel,
  periodProblem,
  type UsagePeriod,
} from './usage-period';

interface PeriodFieldsProps {
  period: UsagePeriod;
  onPeriodChange: (period: UsagePeriod) => void;
}

/** The first and the last day, and periods by name. */
export function PeriodFields({ period, onPeriodChange }: PeriodFieldsProps) {
  const [nowMs] = useState(Date.now);
  const named = namedPeriods(nowMs);
  const isChosen = period.from !== undefined || period.to !== undefined;
  const shown: UsagePeriod = isChosen ? period : monthSoFar(nowMs);
  const set = (name: 'from' | 'to') => (day: string) => {
    const { [name]: _, ...rest } = shown;
    onPeriodChange(day === '' ? rest : { ...rest, [name]: day });
  };
  return (
    <>
      <div>
        <ChoiceGroup
          label="Usual periods"
          value={periodLabel(period, named)}
          choices={named.map(({ label }) => ({ value: label, label }))}
          onValueChange={(chosen) =>
            onPeriodChange(named.find(({ label }) => label === chosen)?.period ?? {})
          }
        />
      </div>
      <Toolbar label="Period" isEven>
        <DateField
          label="First day (UTC)"
          name="from"
          value={shown.from ?? ''}
          onValueChange={set('from')}
        />
        <DateField
          label="Last day (UTC)"
          name="to"
          value={shown.to ?? ''}
          onValueChange={set('to')}
          error={periodProblem(period)}
        />
      </Toolbar>
    </>
  );
}
