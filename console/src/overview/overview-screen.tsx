import { useQuery } from '@tanstack/react-query';
import type { Quotas } from '@ticklake/client';
import { OwnerAlerts } from '../alerts/alerts';
import { keysQuery, myUsageQuery, quotasQuery } from '../api/queries';
import { FirstSteps } from '../first-steps/first-steps';
import { dateOf } from '../format/dates';
import { QUANTITIES, QUANTITY_NAMES, relativeText, utcMinuteText } from '../format/texts';
import { UnfinishedRotations } from '../keys/key-texts';
import { useSession } from '../session/session';
import { Card, Loaded, Page } from '../ui/page';
import styles from './limit-meter.module.css';
import { MonthUsageOf } from './month-usage';
import { limitState, limitStateText, nextMonthStart } from './usage-summary';

interface LimitMeterProps {
  label: string;
  used: number;
  limit: number | null;
  /** An amount without its unit where the label says it. */
  text: (amount: number) => string;
}

function LimitMeter({ label, used, limit, text }: LimitMeterProps) {
  const state = limitState(used, limit);
  const stateText = limitStateText(state);
  const amounts = limit === null ? text(used) : `${text(used)} of ${text(limit)}`;
  return (
    <div className={`${styles.meter} ${styles[state.kind]} ${used > 0 ? styles.used : ''}`}>
      <span className={styles.label}>{label}</span>
      <span className={styles.amounts}>{amounts}</span>
      {state.kind !== 'unlimited' && (
        // biome-ignore lint/a11y/useSemanticElements: each browser draws its own in another way
        <div
          role="meter"
          className={styles.track}
          aria-label={label}
          aria-valuemin={0}
          aria-valuemax={1}
          aria-valuenow={state.fraction}
          aria-valuetext={`${amounts}, ${stateText}`}
        >
          <div className={styles.indicator} style={{ width: `${100 * state.fraction}%` }} />
        </div>
      )}
      <span className={styles.state}>{stateText}</span>
    </div>
  );
}

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

function Limits() {
  const quotas = useQuery({ ...quotasQuery, refetchInterval: REFRESH_MS });
  const nowMs = quotas.dataUpdatedAt;
  return (
    <Loaded query={quotas} what="limits">
      {(data) => {
        const reset = nextMonthStart(dateOf(nowMs));
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

export default function OverviewScreen() {
  const { account } = useSession();
  const end = account?.contract_ends_at ?? null;
  const contract = end === null ? '' : ` The contract ends on ${utcMinuteText(end)}.`;
  return (
    <Page
      title="Overview"
      description={`Usage and limits of ${account?.name ?? 'the account'}. Days and months are in UTC.${contract}`}
    >
      <OwnerAlerts />
      <FirstSteps />
      <UnfinishedRotations />
      <Limits />
      <MonthUsageOf of={myUsageQuery} keys={keysQuery} />
    </Page>
  );
}
