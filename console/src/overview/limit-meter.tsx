import { Meter } from '@base-ui/react/meter';
import styles from './limit-meter.module.css';
import { limitState, limitStateText } from './limit-state';

interface LimitMeterProps {
  label: string;
  used: number;
  /** Null: none. */
  limit: number | null;
  /** An amount without its unit where the label says it. */
  text: (amount: number) => string;
}

/** How much of one limit is used, as a bar and in words. */
export function LimitMeter({ label, used, limit, text }: LimitMeterProps) {
  const state = limitState(used, limit);
  const stateText = limitStateText(state);
  const amounts = limit === null ? text(used) : `${text(used)} of ${text(limit)}`;
  if (state.kind === 'unlimited') {
    return (
      <div className={styles.meter}>
        <span className={styles.label}>{label}</span>
        <span className={styles.amounts}>{amounts}</span>
        <span className={styles.state}>{stateText}</span>
      </div>
    );
  }
  return (
    <Meter.Root
      className={`${styles.meter} ${styles[state.kind]} ${used > 0 ? styles.used : ''}`}
      value={state.fraction}
      max={1}
      getAriaValueText={() => `${amounts}, ${stateText}`}
    >
      <Meter.Label className={styles.label}>{label}</Meter.Label>
      <span className={styles.amounts}>{amounts}</span>
      <Meter.Track className={styles.track}>
        <Meter.Indicator className={styles.indicator} />
      </Meter.Track>
      <span className={styles.state}>{stateText}</span>
    </Meter.Root>
  );
}
