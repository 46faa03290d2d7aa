/**
 * Tables and functions by which several servers count together. Sums and reservations of an account are read
 * and changed under its advisory lock, so that one decision comes after the other; what is reserved outlives
 * no crash of the database, nor has it to.
 */

/** Keeps accounts apart from other advisory locks. */
export const ACCOUNT_LOCK_SPACE = 0x71c41a4f;

/** How long a server that has not been heard of may still be there. */
export const SERVER_SILENCE_SECONDS = 60;

export const SHARED_USAGE_SCHEMA = `
  -- Sums of a month, as of its days; a row comes when it is first asked for.
  CREATE TABLE ticklake.usage_month (
    identity_id bigint NOT NULL,
    first_day text COLLATE "C" NOT NULL,
    requests bigint NOT NULL,
    scanned_bytes bigint NOT NULL,
    returned_bytes bigint NOT NULL,
    PRIMARY KEY (identity_id, first_day)
  );

  -- Sums of a second of the last ones; older rows go when their account counts again.
  CREATE TABLE ticklake.usage_second (
    identity_id bigint NOT NULL,
    second bigint NOT NULL,
    last_at bigint NOT NULL,
    requests bigint NOT NULL,
    scanned_bytes bigint NOT NULL,
    returned_bytes bigint NOT NULL,
    PRIMARY KEY (identity_id, second)
  );

  -- Servers that count here, by a name that each has made up.
  CREATE UNLOGGED TABLE ticklake.usage_server (
    server_id text PRIMARY KEY,
    heard_at timestamptz NOT NULL
  );

  -- What a server has let in and not counted yet. A write of it waits for no disk.
  CREATE UNLOGGED TABLE ticklake.usage_reserved (
    identity_id bigint NOT NULL,
    server_id text NOT NULL,
    month_requests bigint NOT NULL DEFAULT 0,
    minute_requests bigint NOT NULL DEFAULT 0,
    returned_bytes bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (identity_id, server_id)
  ) WITH (fillfactor = 50);

  CREATE FUNCTION ticklake.usage_now(account bigint, month_first text, now_ms bigint)
  RETURNS TABLE (
    month_requests bigint, month_scanned_bytes bigint, month_returned_bytes bigint,
    minute_requests bigint, minute_scanned_bytes bigint, minute_returned_bytes bigint
  ) LANGUAGE sql STABLE AS $$
    SELECT
      (coalesce(counted.requests, 0) + held.month_requests)::bigint,
      coalesce(counted.scanned_bytes, 0)::bigint,
      (coalesce(counted.returned_bytes, 0) + held.returned_bytes)::bigint,
      (recent.requests + held.minute_requests)::bigint,
      recent.scanned_bytes::bigint,
      (recent.returned_bytes + held.returned_bytes)::bigint
    FROM (
      SELECT coalesce(sum(month_requests), 0) AS month_requests,
        coalesce(sum(minute_requests), 0) AS minute_requests,
        coalesce(sum(returned_bytes), 0) AS returned_bytes
      FROM ticklake.usage_reserved WHERE identity_id = account
    ) AS held
    CROSS JOIN (
      SELECT coalesce(sum(requests), 0) AS requests,
        coalesce(sum(scanned_bytes), 0) AS scanned_bytes,
        coalesce(sum(returned_bytes), 0) AS returned_bytes
      FROM ticklake.usage_second WHERE identity_id = account AND last_at > now_ms - 60000
    ) AS recent
    LEFT JOIN ticklake.usage_month AS counted
      ON counted.identity_id = account AND counted.first_day = month_first
  $$;

  -- Makes the sums of a month where there are none yet.
  CREATE FUNCTION ticklake.usage_begin_months(accounts bigint[], month_first text, month_last text)
  RETURNS void LANGUAGE sql AS $$
    INSERT INTO ticklake.usage_month (identity_id, first_day, requests, scanned_bytes, returned_bytes)
      SELECT account, month_first, coalesce(sum(requests), 0), coalesce(sum(scanned_bytes), 0),
        coalesce(sum(returned_bytes), 0)
      FROM unnest(accounts) AS account
      LEFT JOIN ticklake.usage_day
        ON usage_day.identity_id = account AND day BETWEEN month_first AND month_last
      WHERE NOT EXISTS (
        SELECT FROM ticklake.usage_month AS known
        WHERE known.identity_id = account AND known.first_day = month_first
      )
      GROUP BY account ORDER BY account
      ON CONFLICT DO NOTHING
  $$;

  -- What each account has used and reserved before, in the order of the accounts, which are distinct; then
  -- reserves for it. Each statement sees what was committed before it began, so the lock comes first.
  CREATE FUNCTION ticklake.usage_reserve(
    server text, accounts bigint[], for_month bigint[], for_minute bigint[],
    month_first text, month_last text, now_ms bigint
  ) RETURNS TABLE (
    month_requests bigint, month_scanned_bytes bigint, month_returned_bytes bigint,
    minute_requests bigint, minute_scanned_bytes bigint, minute_returned_bytes bigint
  ) LANGUAGE plpgsql AS $$
  #variable_conflict use_column
  BEGIN
    -- Always in the same order, so that no two wait for each other.
    PERFORM pg_advisory_xact_lock(${ACCOUNT_LOCK_SPACE}, (ordered.account % 2147483647)::integer)
      FROM (SELECT account FROM unnest(accounts) AS account ORDER BY account) AS ordered;
    PERFORM ticklake.usage_begin_months(accounts, month_first, month_last);
    RETURN QUERY
      SELECT used.* FROM unnest(accounts) WITH ORDINALITY AS asked (account, place)
      CROSS JOIN LATERAL ticklake.usage_now(asked.account, month_first, now_ms) AS used
      ORDER BY asked.place;
    INSERT INTO ticklake.usage_reserved AS held (server_id, identity_id, month_requests, minute_requests)
      SELECT server, asked.* FROM unnest(accounts, for_month, for_minute) AS asked (account, months, minutes)
      ORDER BY asked.account
      ON CONFLICT (identity_id, server_id) DO UPDATE SET
        month_requests = held.month_requests + excluded.month_requests,
        minute_requests = held.minute_requests + excluded.minute_requests;
  END $$;

  -- Gives back what a server has reserved, as far as it is still there.
  CREATE FUNCTION ticklake.usage_release(
    server text, accounts bigint[], of_month bigint[], of_minute bigint[], of_bytes bigint[]
  ) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM FROM ticklake.usage_reserved
      WHERE server_id = server AND identity_id = ANY (accounts) ORDER BY identity_id FOR UPDATE;
    UPDATE ticklake.usage_reserved AS held SET
        month_requests = greatest(0, held.month_requests - given.months),
        minute_requests = greatest(0, held.minute_requests - given.minutes),
        returned_bytes = greatest(0, held.returned_bytes - given.bytes)
      FROM unnest(accounts, of_month, of_minute, of_bytes) AS given (account, months, minutes, bytes)
      WHERE held.server_id = server AND held.identity_id = given.account;
  END $$;
`;
