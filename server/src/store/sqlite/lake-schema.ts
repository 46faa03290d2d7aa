/** The tables of the lake's index, `lake.db`. */

import type { Migration } from './database.ts';

/** One SQL script for each schema version; the first two knew files instead of parts. */
export const LAKE_MIGRATIONS: readonly Migration[] = [
  null,
  null,
  `CREATE TABLE dataset (
     dataset_id TEXT PRIMARY KEY,
     version INTEGER NOT NULL,
     published_at TEXT NOT NULL
   ) STRICT, WITHOUT ROWID;

   -- Kept for as long as its rows are: readers of an earlier version still ask for its row groups.
   CREATE TABLE part (
     part_id INTEGER PRIMARY KEY AUTOINCREMENT,
     location TEXT NOT NULL UNIQUE,
     row_groups TEXT NOT NULL,
     -- Milliseconds since 1970; null while the part is published.
     retired_at INTEGER
   ) STRICT;
   CREATE INDEX part_retired ON part (retired_at) WHERE retired_at IS NOT NULL;

   CREATE TABLE published_part (
     dataset_id TEXT NOT NULL,
     key TEXT NOT NULL,
     part_id INTEGER NOT NULL REFERENCES part,
     location TEXT NOT NULL,
     -- SHA-256 of what is stored, in hexadecimal.
     digest TEXT NOT NULL,
     row_count INTEGER NOT NULL,
     byte_count INTEGER NOT NULL,
     stored_byte_count INTEGER NOT NULL,
     first_date TEXT,
     last_date TEXT,
     -- JSON array of the names of those that the rows come from.
     vendors TEXT NOT NULL,
     PRIMARY KEY (dataset_id, key)
   ) STRICT, WITHOUT ROWID;

   -- Locations of a publication that has not been committed.
   CREATE TABLE pending_part (location TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

   CREATE TABLE publication (
     publication_id INTEGER PRIMARY KEY,
     state TEXT NOT NULL CHECK (state IN ('running', 'succeeded', 'refused', 'failed')),
     -- What publishes, such as 'ingest'.
     command TEXT NOT NULL,
     -- Names the lock that its process holds while it runs.
     life_mark TEXT NOT NULL,
     started_at TEXT NOT NULL,
     finished_at TEXT,
     -- Why nothing was published.
     message TEXT
   ) STRICT;
   CREATE INDEX publication_running ON publication (publication_id) WHERE state = 'running';
   CREATE TABLE publication_dataset (
     publication_id INTEGER NOT NULL REFERENCES publication,
     dataset_id TEXT NOT NULL,
     PRIMARY KEY (publication_id, dataset_id)
   ) STRICT, WITHOUT ROWID;
   -- What became of a dataset's publications, so that nobody has to look through all of them.
   CREATE TABLE publication_outcome (
     dataset_id TEXT PRIMARY KEY,
     -- The one that ended last.
     last_publication_id INTEGER NOT NULL REFERENCES publication,
     -- How many were refused or failed.
     unpublished_count INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;`,
];
