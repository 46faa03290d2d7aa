/** The script that brings what invoices need: rows by day, and the identifiers that requests named. */
export const BILLING_SCHEMA = `
  -- JSON arrays.
  ALTER TABLE usage_ledger ADD COLUMN symbols TEXT NOT NULL DEFAULT '[]';
  ALTER TABLE usage_day ADD COLUMN row_count INTEGER NOT NULL DEFAULT 0;
  UPDATE usage_day SET row_count = counted.row_count FROM (
    SELECT identity_id, strftime('%Y-%m-%d', answered_at / 1000, 'unixepoch') AS day, key_id, dataset_id,
      sum(row_count) AS row_count
    FROM usage_ledger GROUP BY 1, 2, 3, 4
  ) AS counted
  WHERE usage_day.identity_id = counted.identity_id AND usage_day.day = counted.day
    AND usage_day.key_id = counted.key_id AND usage_day.dataset_id = counted.dataset_id;
  -- Each identifier that an account has asked for in a month.
  CREATE TABLE usage_symbol (
    identity_id INTEGER NOT NULL,
    -- YYYY-MM
    month TEXT NOT NULL,
    symbol TEXT NOT NULL,
    PRIMARY KEY (identity_id, month, symbol)
  ) STRICT, WITHOUT ROWID;
`;
