/**
 * The script that brings offers: rules may be an offer's instead of an account's, accounts may have an offer, and the
 * log of changes tells of offers. Tables whose checks change are made anew under their names; the triggers of other
 * tables, which name them, are left as they are.
 */
export const OFFER_SCHEMA = `
  PRAGMA legacy_alter_table = ON;

  CREATE TABLE offer (
    offer_id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    limits TEXT NOT NULL DEFAULT '{}',
    contract_ends_at INTEGER,
    -- Or from when an account gets the offer.
    contract_days INTEGER,
    created_at INTEGER NOT NULL,
    CHECK (contract_ends_at IS NULL OR contract_days IS NULL)
  ) STRICT;

  ALTER TABLE identity ADD COLUMN offer_id INTEGER REFERENCES offer;
  ALTER TABLE identity ADD COLUMN offer_given_at INTEGER;
  CREATE INDEX identity_of_offer ON identity (offer_id) WHERE offer_id IS NOT NULL;

  CREATE TABLE held_rule (
    rule_id INTEGER PRIMARY KEY AUTOINCREMENT,
    identity_id INTEGER REFERENCES identity,
    offer_id INTEGER REFERENCES offer ON DELETE CASCADE,
    dataset_id TEXT NOT NULL,
    start_date TEXT NOT NULL,
    end_date TEXT,
    universe TEXT NOT NULL DEFAULT '[]',
    CHECK ((identity_id IS NULL) <> (offer_id IS NULL))
  ) STRICT;
  INSERT INTO held_rule (rule_id, identity_id, dataset_id, start_date, end_date, universe)
    SELECT rule_id, identity_id, dataset_id, start_date, end_date, universe FROM access_rule;
  -- Ids of rules that were deleted are never given again.
  DELETE FROM sqlite_sequence WHERE name = 'held_rule';
  INSERT INTO sqlite_sequence (name, seq)
    SELECT 'held_rule', seq FROM sqlite_sequence WHERE name = 'access_rule';
  DROP TABLE access_rule;
  ALTER TABLE held_rule RENAME TO access_rule;
  CREATE INDEX access_rule_of_dataset ON access_rule (identity_id, dataset_id, start_date);
  CREATE INDEX access_rule_of_offer ON access_rule (offer_id) WHERE offer_id IS NOT NULL;

  CREATE TABLE next_change_log (
    change_id INTEGER PRIMARY KEY AUTOINCREMENT,
    subject TEXT NOT NULL CHECK (subject IN ('identity', 'offer', 'person')),
    subject_id INTEGER NOT NULL
  ) STRICT;
  INSERT INTO next_change_log SELECT change_id, subject, subject_id FROM change_log;
  DELETE FROM sqlite_sequence WHERE name = 'next_change_log';
  INSERT INTO sqlite_sequence (name, seq)
    SELECT 'next_change_log', seq FROM sqlite_sequence WHERE name = 'change_log';
  DROP TABLE change_log;
  ALTER TABLE next_change_log RENAME TO change_log;
  CREATE UNIQUE INDEX change_log_of_subject ON change_log (subject, subject_id);
  CREATE TRIGGER change_log_replaces BEFORE INSERT ON change_log
    BEGIN DELETE FROM change_log WHERE subject = new.subject AND subject_id = new.subject_id; END;

  CREATE TRIGGER access_rule_created AFTER INSERT ON access_rule
    BEGIN INSERT INTO change_log (subject, subject_id)
      VALUES (iif(new.offer_id IS NULL, 'identity', 'offer'), coalesce(new.identity_id, new.offer_id)); END;
  CREATE TRIGGER access_rule_changed AFTER UPDATE ON access_rule
    BEGIN INSERT INTO change_log (subject, subject_id)
      VALUES (iif(new.offer_id IS NULL, 'identity', 'offer'), coalesce(new.identity_id, new.offer_id)); END;
  CREATE TRIGGER access_rule_deleted AFTER DELETE ON access_rule
    BEGIN INSERT INTO change_log (subject, subject_id)
      VALUES (iif(old.offer_id IS NULL, 'identity', 'offer'), coalesce(old.identity_id, old.offer_id)); END;
  CREATE TRIGGER offer_created AFTER INSERT ON offer
    BEGIN INSERT INTO change_log (subject, subject_id) VALUES ('offer', new.offer_id); END;
  CREATE TRIGGER offer_changed AFTER UPDATE ON offer
    BEGIN INSERT INTO change_log (subject, subject_id) VALUES ('offer', new.offer_id); END;
  CREATE TRIGGER offer_deleted AFTER DELETE ON offer
    BEGIN INSERT INTO change_log (subject, subject_id) VALUES ('offer', old.offer_id); END;

  PRAGMA legacy_alter_table = OFF;
`;
