import type { LegendEntry } from './bar-legend';
import styles from './chart-view.module.css';

/** What the crosshair points at. */
export function Legend({ entries }: { entries: readonly LegendEntry[] }) {
  return (
    <dl className={styles.legend}>
      {entries.map(({ term, text }) => (
        <div key={term}>
          <dt className={term === 'Time' ? 'visually-hidden' : ''}>{term}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

/** For the keyboard and for screen readers: goes from point to point, and says what there is. */
export function PointSlider(props: {
  /** What one goes along, in one word. */
  label: string;
  count: number;
  text: string;
  at: number;
  onChange: (at: number) => void;
}) {
  const { label, count, text, at, onChange } = props;
  return (
    <input
      type="range"
      aria-label={label}
      aria-valuetext={text}
      className={styles.slider}
      min={0}
      max={Math.max(0, count - 1)}
      value={at}
      onChange={({ target }) => onChange(Number(target.value))}
    />
  );
}
