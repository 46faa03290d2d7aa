import { useQuery } from '@tanstack/react-query';
import type { Quotas } from '@ticklake/client';
import { quotasQuery } from '../api/queries';
import { QUANTITIES, QUANTITY_NAMES } from '../format/quantities';
import { relativeText, utcMinuteText } from '../format/times';
import { Loaded } from '../ui/loading';
import { Card } from '../ui/page';
import { LimitMeter } from './limit-meter';
import styles from './limits.module.css';
import { nextMonthStart } from './usage-summary';

const REFRESH_MS = 5000;

function Meters({ quotas, span }: { quotas: Quotas; span: 'month' | 'minute' }) {
  return QUANTITY_NAMES.map((quantity) => (
    <LimitMeter
      key={quantity}
      label={QUANTITIES[quantity].label}
      used={quotas.quotas_usage[span][quantity]}
      limit={quotas.quotas_limit[span][quantity]}
      text={QUANTITIES[quantity].text}
    />
  ));
}

/** The limits of the month and of the last minute. */
export function Limits() {
  const quotas = useQuery({ ...quotasQuery, refetchInterval: REFRESH_MS });
  const nowMs = quotas.dataUpdatedAt;
  return (
    <Loaded query={quotas} what="limits">
      {(data) => {
        const reset = nextMonthStart(new Date(nowMs).toISOString().slice(0, 10));
        return (
          <div className={styles.limits}>
            <Card title="This month">
              <Meters quotas={data} span="month" />
              <p className={styles.reset}>
                Resets on <time dateTime={reset}>{utcMinuteText(reset)}</time>,{' '}
                {relativeText(reset, nowMs)}.
              </p>
            </Card>
            <Card title="Last 60 seconds">
              <Meters quotas={data} span="minute" />
              <p className={styles.reset}>Rolling 60-second window.</p>
            </Card>
          </div>
        );
      }}
    </Loaded>
  );
}
