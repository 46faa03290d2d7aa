import { Popover } from '@base-ui/react/popover';
import { Calendar } from 'lucide-react';
import { type ComponentProps, lazy, Suspense, useState } from 'react';
import { loadPart } from '../api/server-back';
import { Button } from '../ui/button';
import { DateField } from '../ui/date-field';
import styles from './trading-days.module.css';

const TradingDays = lazy(() => loadPart(() => import('./trading-days')));

type TradingDateFieldProps = Omit<ComponentProps<typeof DateField>, 'calendar'> & {
  datasetId: string;
  hasLatest?: boolean;
};

/** A date of a dataset, whose calendar shows which days it has. */
export function TradingDateField(props: TradingDateFieldProps) {
  const { datasetId, hasLatest = false, ...field } = props;
  const [isOpen, setIsOpen] = useState(false);
  const choose = (date: string) => {
    setIsOpen(false);
    field.onValueChange(date);
  };
  const calendar = (
    <Popover.Root open={isOpen} onOpenChange={setIsOpen}>
      <Popover.Trigger
        render={<Button icon={Calendar} kind="quiet" />}
        aria-label={`Calendar: ${field.label}`}
      />
      <Popover.Portal>
        <Popover.Positioner sideOffset={4} align="end">
          <Popover.Popup className={styles.popup} aria-label={`Calendar: ${field.label}`}>
            <Suspense fallback={<p role="status">Loading the days…</p>}>
              <TradingDays {...{ datasetId, hasLatest, value: field.value, onChoose: choose }} />
            </Suspense>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
  return <DateField {...field} calendar={calendar} />;
}
