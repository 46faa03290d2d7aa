/** The tables of the lake's index, `lake.db`. */

import type { Migration } from './database.ts';

/** One SQL script for each schema version; those before the last knew no ledger. */
export const LAKE_MIGRATIONS: readonly Migration[] = [
  null,
  null,
  null,
  `CREATE TABLE publication (
     publication_id INTEGER PRIMARY KEY,
     state TEXT NOT NULL CHECK (state IN
       ('running', 'published', 'unchanged', 'refused', 'failed', 'rolled_back')),
     kind TEXT NOT NULL,
     -- What publishes, such as 'ingest', and who.
     command TEXT NOT NULL,
     actor TEXT NOT NULL,
     reason TEXT,
     vendor TEXT,
     -- Names the lock that its process holds while it runs; null: open for any process.
     life_mark TEXT,
     started_at TEXT NOT NULL,
     finished_at TEXT,
     -- Why nothing was published.
     message TEXT,
     -- JSON array of findings.
     checks TEXT NOT NULL DEFAULT '[]'
   ) STRICT;
   CREATE INDEX publication_running ON publication (publication_id) WHERE state = 'running';

   CREATE TABLE publication_dataset (
     publication_id INTEGER NOT NULL REFERENCES publication,
     dataset_id TEXT NOT NULL,
     -- Whether it has a change that waits for the commit, and the version that must be current then.
     is_staged INTEGER NOT NULL DEFAULT 0,
     base_version INTEGER,
     -- Null: it published no version of it.
     version INTEGER,
     -- The last rollback that undoes it and stands; null: it stands itself.
     rolled_back_by INTEGER REFERENCES publication,
     PRIMARY KEY (publication_id, dataset_id)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX publication_dataset_of ON publication_dataset (dataset_id, publication_id);
   CREATE UNIQUE INDEX publication_version ON publication_dataset (dataset_id, version)
     WHERE version IS NOT NULL;

   -- Which rollbacks undo which publications, also rollbacks that are undone themselves.
   CREATE TABLE publication_undoing (
     dataset_id TEXT NOT NULL,
     publication_id INTEGER NOT NULL REFERENCES publication,
     undone_by INTEGER NOT NULL REFERENCES publication,
     PRIMARY KEY (dataset_id, publication_id, undone_by)
   ) STRICT, WITHOUT ROWID;

   CREATE TABLE publication_source (
     publication_id INTEGER NOT NULL REFERENCES publication,
     dataset_id TEXT NOT NULL,
     source_number INTEGER NOT NULL,
     name TEXT NOT NULL,
     byte_count INTEGER NOT NULL,
     sha256 TEXT NOT NULL,
     PRIMARY KEY (publication_id, dataset_id, source_number)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX publication_source_of ON publication_source (dataset_id, sha256);

   -- What became of a dataset's publications, so that nobody has to look through all of them.
   CREATE TABLE publication_outcome (
     dataset_id TEXT PRIMARY KEY,
     -- The one that ended last.
     last_publication_id INTEGER NOT NULL REFERENCES publication,
     -- How many were refused or failed.
     unpublished_count INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;

   CREATE TABLE dataset (
     dataset_id TEXT PRIMARY KEY,
     version INTEGER NOT NULL,
     published_at TEXT NOT NULL,
     -- The first version that can still be read.
     first_version INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;

   -- Every version there ever was.
   CREATE TABLE version (
     dataset_id TEXT NOT NULL,
     version INTEGER NOT NULL,
     publication_id INTEGER NOT NULL REFERENCES publication,
     published_at TEXT NOT NULL,
     part_count INTEGER NOT NULL,
     row_count INTEGER NOT NULL,
     byte_count INTEGER NOT NULL,
     first_date TEXT,
     last_date TEXT,
     content_digest TEXT NOT NULL,
     PRIMARY KEY (dataset_id, version)
   ) STRICT, WITHOUT ROWID;

   -- Names and types of the columns that parts were stored with, as JSON.
   CREATE TABLE stored_columns (
     stored_columns_id INTEGER PRIMARY KEY,
     columns TEXT NOT NULL UNIQUE
   ) STRICT;

   -- Kept for as long as its rows are: readers of an earlier version still ask for its row groups.
   CREATE TABLE part (
     part_id INTEGER PRIMARY KEY AUTOINCREMENT,
     dataset_id TEXT NOT NULL,
     key TEXT NOT NULL,
     location TEXT NOT NULL UNIQUE,
     -- SHA-256 of what is stored, in hexadecimal.
     digest TEXT NOT NULL,
     -- Digest of its rows.
     content_digest TEXT NOT NULL,
     row_count INTEGER NOT NULL,
     byte_count INTEGER NOT NULL,
     stored_byte_count INTEGER NOT NULL,
     first_date TEXT,
     last_date TEXT,
     -- JSON arrays: who its rows come from, and which publications loaded them.
     vendors TEXT NOT NULL,
     publication_ids TEXT NOT NULL,
     stored_columns_id INTEGER NOT NULL REFERENCES stored_columns,
     row_groups TEXT NOT NULL,
     -- Milliseconds since 1970; null while a version that is retained has it, or a change to come.
     retired_at INTEGER
   ) STRICT;
   CREATE INDEX part_retired ON part (retired_at) WHERE retired_at IS NOT NULL;

   -- The versions that have a part: from the first one to the one before the end; a part that was
   -- rolled back to has several spans.
   CREATE TABLE part_span (
     dataset_id TEXT NOT NULL,
     key TEXT NOT NULL,
     first_version INTEGER NOT NULL,
     -- Null: the current version has it.
     end_version INTEGER,
     part_id INTEGER NOT NULL REFERENCES part,
     PRIMARY KEY (dataset_id, key, first_version)
   ) STRICT, WITHOUT ROWID;
   CREATE UNIQUE INDEX part_span_current ON part_span (dataset_id, key) WHERE end_version IS NULL;
   CREATE INDEX part_span_ended ON part_span (dataset_id, end_version)
     WHERE end_version IS NOT NULL;
   CREATE INDEX part_span_part ON part_span (part_id);

   -- What publications made of partitions. Parts are named even when they are gone.
   CREATE TABLE publication_part (
     publication_id INTEGER NOT NULL REFERENCES publication,
     dataset_id TEXT NOT NULL,
     key TEXT NOT NULL,
     before_part_id INTEGER,
     before_row_count INTEGER,
     before_byte_count INTEGER,
     before_digest TEXT,
     after_part_id INTEGER,
     after_row_count INTEGER,
     after_byte_count INTEGER,
     after_digest TEXT,
     PRIMARY KEY (publication_id, dataset_id, key)
   ) STRICT, WITHOUT ROWID;

   -- Changes that wait for the commit of their publication.
   CREATE TABLE staged_part (
     publication_id INTEGER NOT NULL REFERENCES publication,
     dataset_id TEXT NOT NULL,
     key TEXT NOT NULL,
     -- Null: the partition will be gone.
     part_id INTEGER REFERENCES part,
     -- The part that has to be current at the commit; null: none.
     base_part_id INTEGER,
     PRIMARY KEY (publication_id, dataset_id, key)
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX staged_part_part ON staged_part (part_id);

   -- Locations at which something is being written.
   CREATE TABLE pending_part (location TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;`,
  // Ids are given at the beginning, and a later publication may end earlier.
  `ALTER TABLE publication ADD COLUMN ended_number INTEGER;
   CREATE UNIQUE INDEX publication_ended ON publication (ended_number)
     WHERE ended_number IS NOT NULL;
   UPDATE publication SET ended_number = publication_id WHERE state <> 'running';`,
  `CREATE TABLE security (
     -- Given once, and never to another one.
     security_id INTEGER PRIMARY KEY,
     first_ticker TEXT NOT NULL,
     -- Null: a ticker without a history.
     first_date TEXT,
     history_name TEXT,
     -- JSON array of the periods of its tickers.
     periods TEXT NOT NULL
   ) STRICT;
   CREATE UNIQUE INDEX security_first ON security (first_ticker, coalesce(first_date, ''));`,
  `-- Parts as they are stored in a place that the lake is being moved to.
   CREATE TABLE moved_part (
     place TEXT NOT NULL,
     part_id INTEGER NOT NULL,
     location TEXT NOT NULL,
     -- Empty while the part is being written.
     digest TEXT NOT NULL,
     byte_count INTEGER NOT NULL,
     stored_byte_count INTEGER NOT NULL,
     row_groups TEXT NOT NULL,
     PRIMARY KEY (place, part_id)
   ) STRICT;`,
  `-- Where all parts lie, in one row; none: nobody has opened the lake since such a place is noted.
   CREATE TABLE place (
     place_id INTEGER PRIMARY KEY CHECK (place_id = 1),
     name TEXT NOT NULL
   ) STRICT;`,
  // How rows were computed from a source, as JSON; null: they were loaded.
  'ALTER TABLE publication_source ADD COLUMN derivation TEXT',
  `-- When something began to be written there, in milliseconds since 1970.
   ALTER TABLE pending_part ADD COLUMN noted_at INTEGER NOT NULL DEFAULT 0;
   -- That of the last claim of the parts.
   ALTER TABLE place ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;`,
  // The dates of a refused load that somebody has to look after, '' if unknown; null: nobody has to.
  `ALTER TABLE publication ADD COLUMN refused_dates TEXT;
   CREATE INDEX publication_refused ON publication (publication_id)
     WHERE refused_dates IS NOT NULL;`,
];
