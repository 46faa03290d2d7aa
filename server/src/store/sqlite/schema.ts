/** The tables as SQLite makes them. */
import {
  addedSql,
  CHANGE_LOG,
  CONTROL_TABLES,
  counterOf,
  type Dialect,
  firstSql,
  LAKE_TABLES,
  WATCHED,
  type Watched,
} from '../schema.ts';

const COUNTER = 'INTEGER PRIMARY KEY AUTOINCREMENT';

const SQLITE: Dialect = {
  types: {
    ...{ integer: 'INTEGER', double: 'REAL', text: 'TEXT', flag: 'INTEGER' },
    ...{ number: 'INTEGER PRIMARY KEY', counter: COUNTER, own_counter: COUNTER },
  },
  options: (table) => (counterOf(table) === null ? 'STRICT, WITHOUT ROWID' : 'STRICT'),
};

/** Triggers that note whom a change of a table concerns. */
function noteChanges({ table, subjects, columns }: Watched): string {
  const [first, second] = subjects;
  const note = (row: 'new' | 'old') =>
    second === undefined
      ? `'${first}', ${row}.${first}_id`
      : `iif(${row}.${second}_id IS NULL, '${first}', '${second}'), coalesce(${row}.${first}_id, ${row}.${second}_id)`;
  const trigger = (name: string, act: string, row: 'new' | 'old') =>
    `CREATE TRIGGER ${table}_${name} AFTER ${act} ON ${table}
     BEGIN INSERT INTO change_log (subject, subject_id) VALUES (${note(row)}); END;\n`;
  return [
    trigger('created', 'INSERT', 'new'),
    trigger('changed', columns ? `UPDATE OF ${columns.join(', ')}` : 'UPDATE', 'new'),
    trigger('deleted', 'DELETE', 'old'),
  ].join('');
}

const REFUSE_CHANGE = `BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;`;

const AUDIT_TRIGGERS = `
  CREATE TRIGGER audit_log_keeps_rows BEFORE DELETE ON audit_log ${REFUSE_CHANGE}
  CREATE TRIGGER audit_log_keeps_values BEFORE UPDATE ON audit_log ${REFUSE_CHANGE}
  -- A row that takes the place of another deletes it without asking the trigger against deletion.
  CREATE TRIGGER audit_log_keeps_places BEFORE INSERT ON audit_log
    WHEN EXISTS (SELECT 1 FROM audit_log WHERE audit_id = new.audit_id) ${REFUSE_CHANGE}
  -- Only after the row is written is its id known where none was given.
  CREATE TRIGGER audit_log_only_grows AFTER INSERT ON audit_log
    WHEN new.audit_id < 1 OR new.audit_id < (SELECT max(audit_id) FROM audit_log) ${REFUSE_CHANGE}
`;

const CHANGE_TRIGGERS = `
  CREATE TRIGGER change_log_replaces BEFORE INSERT ON change_log
    BEGIN DELETE FROM change_log WHERE subject = new.subject AND subject_id = new.subject_id; END;
  ${WATCHED.map(noteChanges).join('')}
`;

/** Empty but while the reserve is made: see `StoreReserve`. */
const RESERVE = 'CREATE TABLE reserve (filler BLOB NOT NULL) STRICT;\n';

/**
 * One script for each version of the schema; once released, they are added to and never changed.
 */
export const CONTROL_SCRIPTS: readonly string[] = [
  [
    firstSql([...CONTROL_TABLES, CHANGE_LOG], SQLITE),
    ...[AUDIT_TRIGGERS, CHANGE_TRIGGERS, RESERVE],
  ].join(''),
  // The columns of access rules.
  addedSql(CONTROL_TABLES, 2, SQLITE),
  // Paths and reasons of requests.
  addedSql(CONTROL_TABLES, 3, SQLITE),
  // Enquiries.
  addedSql(CONTROL_TABLES, 4, SQLITE),
];

export const LAKE_SCRIPTS: readonly string[] = [firstSql(LAKE_TABLES, SQLITE)];
