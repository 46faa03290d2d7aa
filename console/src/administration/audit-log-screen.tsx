import { useInfiniteQuery } from '@tanstack/react-query';
import type { AuditEntry } from '@ticklake/client';
import { plural, utcText } from '../format/texts';
import { useKnownSearch } from '../layout/known-search';
import { Button } from '../ui/button';
import { ComboboxField } from '../ui/combobox-field';
import { DateField } from '../ui/date-field';
import { Disclosure } from '../ui/disclosure';
import { TextField } from '../ui/field';
import { Loaded, MoreButton, Page } from '../ui/page';
import { Badge } from '../ui/texts';
import { Toolbar, useSearchText } from '../ui/toolbar';
import {
  AUDIT_OPERATIONS,
  type Difference,
  differences,
  nameLabel,
  referenceText,
  subjectOf,
} from './audit';
import styles from './audit-differences.module.css';
import { AuditName } from './names';
import { auditLogQuery } from './queries';
import { type AuditFilter, readAuditFilter } from './searches';

const OPERATION_OPTIONS = AUDIT_OPERATIONS.map((name) => ({
  value: name,
  label: nameLabel(name),
}));

function AuditFilterFields() {
  const [filter, change, field] = useKnownSearch(readAuditFilter);
  const actor = useSearchText(field('actor'));
  const target = useSearchText(field('target'));
  return (
    <Toolbar label="Filter the audit log">
      <TextField label="Who" placeholder="E-mail, account or key" {...actor} />
      <ComboboxField
        label="Operation"
        options={OPERATION_OPTIONS}
        placeholder="All operations"
        {...field('operation')}
      />
      <TextField label="What was changed" placeholder="Account 3 or API key 5" {...target} />
      <DateField label="From (UTC)" {...field('from')} />
      <DateField label="Through (UTC)" {...field('to')} />
      {Object.keys(filter).length > 0 && <Button onClick={() => change({})}>Show all</Button>}
    </Toolbar>
  );
}

function AuditDifferences({ label, rows }: { label: string; rows: readonly Difference[] }) {
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
              {nameLabel(field)}
            </th>
            <td>{before === null ? '–' : <del className={styles.before}>{before}</del>}</td>
            <td>{after === null ? '–' : <ins className={styles.after}>{after}</ins>}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const OPEN_ROWS_MAX = 4;

function ChangeBadge({ entry: { before, after } }: { entry: AuditEntry }) {
  if (before === null && after === null) return null;
  if (before === null) return <Badge kind="good">created</Badge>;
  if (after === null) return <Badge kind="danger">deleted</Badge>;
  return <Badge kind="warning">changed</Badge>;
}

function EntryDifferences({ entry }: { entry: AuditEntry }) {
  const rows = differences(entry.before, entry.after);
  const table = <AuditDifferences label={`What changed, entry ${entry.audit_id}`} rows={rows} />;
  if (rows.length <= OPEN_ROWS_MAX) return table;
  return <Disclosure label={plural(rows.length, 'field')}>{table}</Disclosure>;
}

function Entry({ entry }: { entry: AuditEntry }) {
  return (
    <li className={styles.entry}>
      <div className={styles.head}>
        <span className={styles.summary}>
          <strong>{entry.actor_name ?? referenceText(entry.actor)}</strong> {entry.summary}
        </span>
        <ChangeBadge entry={entry} />
        <time dateTime={entry.happened_at} className={styles.time}>
          {utcText(entry.happened_at)}
        </time>
      </div>
      <p className={styles.by}>
        <span>{nameLabel(entry.operation)}</span> ·{' '}
        <AuditName name={entry.target} subject={subjectOf(entry)} /> · by{' '}
        <AuditName name={entry.actor} /> from {entry.source} · entry {entry.audit_id}
      </p>
      <EntryDifferences entry={entry} />
    </li>
  );
}

function AuditEntries({ entries }: { entries: readonly AuditEntry[] }) {
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

function AuditLog({ filter }: { filter: AuditFilter }) {
  const log = useInfiniteQuery(auditLogQuery(filter));
  return (
    <Loaded query={log} what="the audit log">
      {({ pages }) => (
        <>
          <AuditEntries entries={pages.flatMap((page) => page.data)} />
          <MoreButton query={log}>Show older entries</MoreButton>
        </>
      )}
    </Loaded>
  );
}

export default function AuditLogScreen() {
  const [filter] = useKnownSearch(readAuditFilter);
  return (
    <Page
      title="Audit log"
      description="Every administrative change, newest first. Entries are never edited or removed."
    >
      <AuditFilterFields />
      <AuditLog filter={filter} />
    </Page>
  );
}
