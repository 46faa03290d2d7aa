/** The script that brings what invoices need: rows by day, and the identifiers that requests named. */
export const BILLING_SCHEMA = `
  -- JSON arrays.
  ALTER TABLE ticklake.usage_ledger ADD COLUMN symbols text NOT NULL DEFAULT '[]';
  ALTER TABLE ticklake.usage_day ADD COLUMN row_count bigint NOT NULL DEFAULT 0;
  UPDATE ticklake.usage_day AS known SET row_count = counted.row_count FROM (
    SELECT identity_id, to_char(to_timestamp(answered_at / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day,
      key_id, dataset_id, sum(row_count) AS row_count
    FROM ticklake.usage_ledger GROUP BY 1, 2, 3, 4
  ) AS counted
  WHERE known.identity_id = counted.identity_id AND known.day = counted.day
    AND known.key_id = counted.key_id AND known.dataset_id = counted.dataset_id;
  -- Each identifier that an account has asked for in a month.
  CREATE TABLE ticklake.usage_symbol (
    identity_id bigint NOT NULL,
    -- YYYY-MM
    month text COLLATE "C" NOT NULL,
    symbol text COLLATE "C" NOT NULL,
    PRIMARY KEY (identity_id, month, symbol)
  );
`;
