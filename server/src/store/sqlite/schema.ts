/**
 * The control store's tables. Times are milliseconds since 1970, dates `YYYY-MM-DD`. Stores of every
 * earlier length exist: scripts are added behind the others, never changed.
 */
import { ACCESS_REQUEST_SCHEMA } from './access-requests.ts';
import { BILLING_SCHEMA } from './billing-schema.ts';
import { OFFER_SCHEMA } from './offer-schema.ts';
import { PERSON_LINK_SCHEMA } from './person-links.ts';
import { SECOND_FACTOR_SCHEMA } from './second-factors.ts';
import { LEDGER_OF_IDENTITY_SCHEMA, REFUSED_USAGE_SCHEMA } from './usage.ts';

export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE identity (
    identity_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    is_admin INTEGER NOT NULL DEFAULT 0,
    is_active INTEGER NOT NULL DEFAULT 1,
    max_active_api_keys INTEGER NOT NULL,
    -- JSON arrays and objects are read whole, never searched.
    ip_subnets TEXT NOT NULL DEFAULT '[]',
    limits TEXT NOT NULL DEFAULT '{}',
    created_at INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE api_key (
    -- The id of a deleted key is never given again: usage and audit still speak of it.
    key_id INTEGER PRIMARY KEY AUTOINCREMENT,
    identity_id INTEGER NOT NULL REFERENCES identity,
    name TEXT NOT NULL,
    key_hash BLOB NOT NULL UNIQUE,
    reference TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    last_used_at INTEGER,
    is_active INTEGER NOT NULL DEFAULT 1
  ) STRICT;
  CREATE INDEX api_key_of_identity ON api_key (identity_id);

  CREATE TABLE access_rule (
    rule_id INTEGER PRIMARY KEY AUTOINCREMENT,
    identity_id INTEGER NOT NULL REFERENCES identity,
    dataset_id TEXT NOT NULL,
    start_date TEXT NOT NULL,
    end_date TEXT,
    universe TEXT NOT NULL DEFAULT '[]'
  ) STRICT;
  CREATE INDEX access_rule_of_dataset ON access_rule (identity_id, dataset_id, start_date);

  -- Sums of what was used; the quota counters of a month are the sums of its days.
  CREATE TABLE usage_day (
    identity_id INTEGER NOT NULL,
    day TEXT NOT NULL,
    key_id INTEGER NOT NULL,
    -- Empty for what belongs to no dataset.
    dataset_id TEXT NOT NULL,
    requests INTEGER NOT NULL,
    scanned_bytes INTEGER NOT NULL,
    returned_bytes INTEGER NOT NULL,
    PRIMARY KEY (identity_id, day, key_id, dataset_id)
  ) STRICT, WITHOUT ROWID;

  -- One row for each counted request.
  CREATE TABLE usage_ledger (
    ledger_id INTEGER PRIMARY KEY,
    answered_at INTEGER NOT NULL,
    request_id TEXT NOT NULL,
    identity_id INTEGER NOT NULL,
    key_id INTEGER NOT NULL,
    dataset_id TEXT NOT NULL,
    dataset_version INTEGER,
    counts_in_minute INTEGER NOT NULL,
    row_count INTEGER NOT NULL,
    scanned_bytes INTEGER NOT NULL,
    returned_bytes INTEGER NOT NULL,
    duration_ms REAL NOT NULL,
    status INTEGER NOT NULL
  ) STRICT;
  -- By time alone: rows come in its order, which keeps writing them cheap.
  CREATE INDEX usage_ledger_by_time ON usage_ledger (answered_at);

  CREATE TABLE audit_log (
    audit_id INTEGER PRIMARY KEY,
    happened_at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    source TEXT NOT NULL,
    operation TEXT NOT NULL,
    target TEXT NOT NULL,
    before_change TEXT,
    after_change TEXT
  ) STRICT;
  CREATE TRIGGER audit_log_keeps_rows BEFORE DELETE ON audit_log
    BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
  CREATE TRIGGER audit_log_keeps_values BEFORE UPDATE ON audit_log
    BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
  `,
  `
  -- Whose keys or identity changed, in what a caller is judged by: a key's last use is not.
  CREATE TABLE credential_change (
    change_id INTEGER PRIMARY KEY AUTOINCREMENT,
    identity_id INTEGER NOT NULL
  ) STRICT;
  CREATE TRIGGER identity_changed AFTER UPDATE ON identity
    BEGIN INSERT INTO credential_change (identity_id) VALUES (new.identity_id); END;
  CREATE TRIGGER identity_deleted AFTER DELETE ON identity
    BEGIN INSERT INTO credential_change (identity_id) VALUES (old.identity_id); END;
  CREATE TRIGGER api_key_created AFTER INSERT ON api_key
    BEGIN INSERT INTO credential_change (identity_id) VALUES (new.identity_id); END;
  CREATE TRIGGER api_key_changed AFTER UPDATE OF
    name, key_hash, reference, created_at, expires_at, is_active ON api_key
    BEGIN INSERT INTO credential_change (identity_id) VALUES (new.identity_id); END;
  CREATE TRIGGER api_key_deleted AFTER DELETE ON api_key
    BEGIN INSERT INTO credential_change (identity_id) VALUES (old.identity_id); END;
  `,
  `
  -- A row that takes the place of another deletes it without asking the trigger against deletion.
  CREATE TRIGGER audit_log_keeps_places BEFORE INSERT ON audit_log
    WHEN EXISTS (SELECT 1 FROM audit_log WHERE audit_id = new.audit_id)
    BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
  -- Only after the row is written is its id known where none was given.
  CREATE TRIGGER audit_log_only_grows AFTER INSERT ON audit_log
    WHEN new.audit_id < 1 OR new.audit_id < (SELECT max(audit_id) FROM audit_log)
    BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
  `,
  `
  -- The newest change of an identity tells all that its older ones did.
  DELETE FROM credential_change WHERE change_id NOT IN
    (SELECT max(change_id) FROM credential_change GROUP BY identity_id);
  CREATE UNIQUE INDEX credential_change_of_identity ON credential_change (identity_id);
  CREATE TRIGGER credential_change_replaces BEFORE INSERT ON credential_change
    BEGIN DELETE FROM credential_change WHERE identity_id = new.identity_id; END;
  `,
  `
  CREATE TABLE person (
    person_id INTEGER PRIMARY KEY AUTOINCREMENT,
    -- In lower case.
    email TEXT NOT NULL UNIQUE,
    role TEXT NOT NULL,
    identity_id INTEGER REFERENCES identity,
    password_hash TEXT NOT NULL,
    is_password_initial INTEGER NOT NULL,
    is_active INTEGER NOT NULL DEFAULT 1,
    created_at INTEGER NOT NULL,
    last_sign_in_at INTEGER,
    CHECK (role = 'owner' OR role IN ('member', 'manager') AND identity_id IS NOT NULL)
  ) STRICT;
  CREATE INDEX person_of_identity ON person (identity_id);

  -- Of a session only the hash of its token is kept: who reads the store cannot go on with it.
  CREATE TABLE session (
    token_hash BLOB PRIMARY KEY,
    person_id INTEGER NOT NULL REFERENCES person ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    seen_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX session_of_person ON session (person_id, created_at);
  `,
  `
  -- Empty but while the reserve is made: see StoreReserve.
  CREATE TABLE reserve (filler BLOB NOT NULL) STRICT;
  `,
  `
  -- The networks that people have signed in from.
  CREATE TABLE sign_in_place (
    person_id INTEGER NOT NULL REFERENCES person ON DELETE CASCADE,
    network TEXT NOT NULL,
    signed_in_at INTEGER NOT NULL,
    PRIMARY KEY (person_id, network)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- Whose records changed that requests are judged by: an account, its keys and its rules, or a person
  -- and their sessions. A key's last use is not among them. It takes the place of credential_change.
  CREATE TABLE change_log (
    change_id INTEGER PRIMARY KEY AUTOINCREMENT,
    subject TEXT NOT NULL CHECK (subject IN ('identity', 'person')),
    subject_id INTEGER NOT NULL
  ) STRICT;
  -- The newest change of a subject tells all that its older ones did.
  CREATE UNIQUE INDEX change_log_of_subject ON change_log (subject, subject_id);
  CREATE TRIGGER change_log_replaces BEFORE INSERT ON change_log
    BEGIN DELETE FROM change_log WHERE subject = new.subject AND subject_id = new.subject_id; END;

  DROP TRIGGER identity_changed;
  DROP TRIGGER identity_deleted;
  DROP TRIGGER api_key_created;
  DROP TRIGGER api_key_changed;
  DROP TRIGGER api_key_deleted;
  DROP TABLE credential_change;

  CREATE TRIGGER identity_created AFTER INSERT ON identity
    BEGIN INSERT INTO change_log (subject, subject_id) VALUES ('identity', new.identity_id); END;
  CREATE TRIGGER identity_changed AFTER UPDATE ON identity
    BEGIN INSERT INTO change_log (subject, subject_id) VALUES ('identity', new.identity_id); END;
  CREATE TRIGGER identity_deleted AFTER DELETE ON identity
    BEGIN INSERT INTO change_log (subject, subject_id) VALUES ('identity', old.identity_id); END;
  CREATE TRIGGER api_key_created AFTER INSERT ON api_key
    BEGIN INSERT INTO change_log (subject, subject_id) VALUES ('identity', new.identity_id); END;
  CREATE TRIGGER api_key_changed AFTER UPDATE OF
    name, key_hash, reference, created_at, expires_at, is_active ON api_key
    BEGIN INSERT INTO change_log (subject, subject_id) VALUES ('identity', new.identity_id); END;
  CREATE TRIGGER api_key_deleted AFTER DELETE ON api_key
    BEGIN INSERT INTO change_log (subject, subject_id) VALUES ('identity', old.identity_id); END;
  CREATE TRIGGER access_rule_created AFTER INSERT ON access_rule
    BEGIN INSERT INTO change_log (subject, subject_id) VALUES ('identity', new.identity_id); END;
  CREATE TRIGGER access_rule_changed AFTER UPDATE ON access_rule
    BEGIN INSERT INTO change_log (subject, subject_id) VALUES ('identity', new.identity_id); END;
  CREATE TRIGGER access_rule_deleted AFTER DELETE ON access_rule
    BEGIN INSERT INTO change_log (subject, subject_id) VALUES ('identity', old.identity_id); END;
  CREATE TRIGGER person_created AFTER INSERT ON person
    BEGIN INSERT INTO change_log (subject, subject_id) VALUES ('person', new.person_id); END;
  CREATE TRIGGER person_changed AFTER UPDATE ON person
    BEGIN INSERT INTO change_log (subject, subject_id) VALUES ('person', new.person_id); END;
  CREATE TRIGGER person_deleted AFTER DELETE ON person
    BEGIN INSERT INTO change_log (subject, subject_id) VALUES ('person', old.person_id); END;
  CREATE TRIGGER session_created AFTER INSERT ON session
    BEGIN INSERT INTO change_log (subject, subject_id) VALUES ('person', new.person_id); END;
  CREATE TRIGGER session_changed AFTER UPDATE ON session
    BEGIN INSERT INTO change_log (subject, subject_id) VALUES ('person', new.person_id); END;
  CREATE TRIGGER session_deleted AFTER DELETE ON session
    BEGIN INSERT INTO change_log (subject, subject_id) VALUES ('person', old.person_id); END;
  `,
  PERSON_LINK_SCHEMA,
  SECOND_FACTOR_SCHEMA,
  ACCESS_REQUEST_SCHEMA,
  LEDGER_OF_IDENTITY_SCHEMA,
  'ALTER TABLE identity ADD COLUMN contract_ends_at INTEGER',
  OFFER_SCHEMA,
  BILLING_SCHEMA,
  REFUSED_USAGE_SCHEMA,
];
