import type { Difference } from './audit-difference';
import styles from './audit-differences.module.css';

function Value({ text, kind }: { text: string | null; kind: 'before' | 'after' }) {
  if (text === null) return <span className={styles.nothing}>–</span>;
  return kind === 'before' ? (
    <del className={styles.before}>{text}</del>
  ) : (
    <ins className={styles.after}>{text}</ins>
  );
}

/** Field by field, what it was and what it is. */
export function AuditDifferences({ label, rows }: { label: string; rows: readonly Difference[] }) {
  if (rows.length === 0) return null;
  return (
    <table className={styles.table} aria-label={label}>
      <thead className="visually-hidden">
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Before</th>
          <th scope="col">After</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ field, before, after }) => (
          <tr key={field}>
            <th scope="row" className={styles.field}>
              {field}
            </th>
            <td>
              <Value text={before} kind="before" />
            </td>
            <td>
              <Value text={after} kind="after" />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
