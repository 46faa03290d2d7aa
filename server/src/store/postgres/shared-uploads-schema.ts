/** The tables of uploads. */

/** How long a server that has not been heard of may still load something. */
export const LOADER_SILENCE_SECONDS = 30;

export const SHARED_UPLOADS_SCHEMA = `
  CREATE TABLE ticklake.upload (
    upload_id text PRIMARY KEY,
    actor text NOT NULL,
    given json NOT NULL,
    created_at bigint NOT NULL,
    changed_at bigint NOT NULL,
    byte_count bigint NOT NULL DEFAULT 0,
    state text NOT NULL DEFAULT 'receiving',
    -- How its load ended.
    load_end json,
    publication_before bigint,
    -- The server that loads it, by a name that it has made up, and when that was last heard of.
    server_id text,
    heard_at timestamptz
  );

  CREATE TABLE ticklake.upload_piece (
    upload_id text NOT NULL REFERENCES ticklake.upload ON DELETE CASCADE,
    first_byte bigint NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (upload_id, first_byte)
  );
  -- Most files are packed already.
  ALTER TABLE ticklake.upload_piece ALTER COLUMN bytes SET STORAGE EXTERNAL;
`;
