import type { AuditEntry } from '@ticklake/client';
import { plural } from '../format/amounts';
import { utcText } from '../format/times';
import { Badge } from '../ui/badge';
import { Disclosure } from '../ui/disclosure';
import { differences, subjectOf } from './audit-difference';
import { AuditDifferences } from './audit-differences';
import styles from './audit-entries.module.css';
import { localActorText } from './audit-reference';
import { AuditName } from './names';

/** Up to so many fields are shown at once. */
const OPEN_ROWS_MAX = 4;

function ChangeBadge({ entry: { before, after } }: { entry: AuditEntry }) {
  if (before === null && after === null) return null;
  if (before === null) return <Badge kind="good">created</Badge>;
  return after === null ? (
    <Badge kind="danger">deleted</Badge>
  ) : (
    <Badge kind="warning">changed</Badge>
  );
}

function EntryDifferences({ entry }: { entry: AuditEntry }) {
  const rows = differences(entry.before, entry.after);
  const table = (
    <AuditDifferences
      label={`What ${entry.operation} changed, entry ${entry.audit_id}`}
      rows={rows}
    />
  );
  if (rows.length <= OPEN_ROWS_MAX) return table;
  return <Disclosure label={plural(rows.length, 'field')}>{table}</Disclosure>;
}

function Entry({ entry }: { entry: AuditEntry }) {
  return (
    <li className={styles.entry}>
      <div className={styles.head}>
        <span className={styles.summary}>
          <strong>{entry.actor_name ?? localActorText(entry.actor) ?? entry.actor}</strong>{' '}
          {entry.summary}
        </span>
        <ChangeBadge entry={entry} />
        <time dateTime={entry.happened_at} className={styles.time}>
          {utcText(entry.happened_at)}
        </time>
      </div>
      <p className={styles.by}>
        <code>{entry.operation}</code> of{' '}
        <AuditName name={entry.target} subject={subjectOf(entry)} /> by{' '}
        <AuditName name={entry.actor} /> from {entry.source} · entry {entry.audit_id}
      </p>
      <EntryDifferences entry={entry} />
    </li>
  );
}

/** Audit log entries, each with what it changed. */
export function AuditEntries({ entries }: { entries: readonly AuditEntry[] }) {
  if (entries.length === 0) return <p role="status">No entries match.</p>;
  return (
    <>
      <p role="status">{plural(entries.length, 'entry', 'entries')} shown</p>
      <ol className={styles.list} aria-label="Audit log entries">
        {entries.map((entry) => (
          <Entry key={entry.audit_id} entry={entry} />
        ))}
      </ol>
    </>
  );
}
