import { plural } from '../format/amounts';
import { utcText } from '../format/times';
import { Badge } from '../ui/badge';
import { differences } from './audit-difference';
import { AuditDifferences } from './audit-differences';
import styles from './audit-entries.module.css';
import { AuditName } from './audit-name';
import type { AuditEntry } from './records';

function ChangeBadge({ entry: { before, after } }: { entry: AuditEntry }) {
  if (before === null && after === null) return null;
  if (before === null) return <Badge kind="good">created</Badge>;
  return after === null ? (
    <Badge kind="danger">deleted</Badge>
  ) : (
    <Badge kind="warning">changed</Badge>
  );
}

function Entry({ entry }: { entry: AuditEntry }) {
  const found = differences(entry.before, entry.after);
  return (
    <li className={styles.entry}>
      <div className={styles.head}>
        <strong className={styles.operation}>{entry.operation}</strong>
        <ChangeBadge entry={entry} />
        <AuditName name={entry.target} />
        <time dateTime={entry.happened_at} className={styles.time}>
          {utcText(entry.happened_at)}
        </time>
      </div>
      <p className={styles.by}>
        by <AuditName name={entry.actor} /> from {entry.source} · entry {entry.audit_id}
      </p>
      <AuditDifferences
        label={`What ${entry.operation} changed, entry ${entry.audit_id}`}
        rows={found}
      />
    </li>
  );
}

/** Entries of the audit log, each with what it changed. */
export function AuditEntries({ entries }: { entries: readonly AuditEntry[] }) {
  if (entries.length === 0) return <p role="status">No entry matches.</p>;
  return (
    <>
      <p role="status">{plural(entries.length, 'entry', 'entries')} shown</p>
      <ol className={styles.list} aria-label="Entries of the audit log">
        {entries.map((entry) => (
          <Entry key={entry.audit_id} entry={entry} />
        ))}
      </ol>
    </>
  );
}
