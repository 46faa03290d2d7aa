/**
 * Tables and functions by which several servers count together and let requests in, in one short
 * call. Whatever is let in counts up in one row, what has ended in another, so that no admission
 * waits for a transaction that writes usage and its disk; and sums of the last seconds are kept, so
 * that few rows are read. Decisions about an account come one after the other, under its advisory
 * lock. What is reserved outlives no crash of the database, nor has it to.
 */

/** Keeps accounts apart from other advisory locks. */
const ACCOUNT_LOCK_SPACE = 0x71c41a4f;

/** How long a server that has not been heard of may still be there. */
export const SERVER_SILENCE_SECONDS = 60;

export const USAGE_SCHEMA = `
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

  -- Sums of all that usage_second holds of an account.
  CREATE TABLE ticklake.usage_recent (
    identity_id bigint PRIMARY KEY,
    requests bigint NOT NULL,
    scanned_bytes bigint NOT NULL,
    returned_bytes bigint NOT NULL
  ) WITH (fillfactor = 50);

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
    -- How many are reserved ahead and, as far as the server has told, not taken yet; and its number of them.
    ahead bigint NOT NULL DEFAULT 0,
    lease_number bigint NOT NULL DEFAULT 0,
    -- By how much the reservation of lease_number has changed the requests, without those ahead.
    asked_month bigint NOT NULL DEFAULT 0,
    asked_minute bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (identity_id, server_id)
  ) WITH (fillfactor = 50);

  -- How many of the requests in usage_reserved have ended, never more than there are.
  CREATE UNLOGGED TABLE ticklake.usage_ended (
    identity_id bigint NOT NULL,
    server_id text NOT NULL,
    month_requests bigint NOT NULL,
    minute_requests bigint NOT NULL,
    PRIMARY KEY (identity_id, server_id)
  ) WITH (fillfactor = 50);

  -- Sums of a month that has no row yet come from its days; of the recent seconds, those that are a minute old are taken off.
  CREATE FUNCTION ticklake.usage_now(account bigint, month_first text, month_last text, now_ms bigint)
  RETURNS TABLE (
    month_requests bigint, month_scanned_bytes bigint, month_returned_bytes bigint,
    minute_requests bigint, minute_scanned_bytes bigint, minute_returned_bytes bigint, ahead bigint
  ) LANGUAGE sql STABLE AS $$
    SELECT
      (coalesce(counted.requests, days.requests) + held.month_requests)::bigint,
      coalesce(counted.scanned_bytes, days.scanned_bytes)::bigint,
      (coalesce(counted.returned_bytes, days.returned_bytes) + held.returned_bytes)::bigint,
      (coalesce(recent.requests, 0) - past.requests + held.minute_requests)::bigint,
      (coalesce(recent.scanned_bytes, 0) - past.scanned_bytes)::bigint,
      (coalesce(recent.returned_bytes, 0) - past.returned_bytes + held.returned_bytes)::bigint,
      held.ahead::bigint
    FROM (
      SELECT
        coalesce(sum(begun.month_requests - coalesce(ended.month_requests, 0)), 0) AS month_requests,
        coalesce(sum(begun.minute_requests - coalesce(ended.minute_requests, 0)), 0) AS minute_requests,
        coalesce(sum(begun.returned_bytes), 0) AS returned_bytes,
        coalesce(sum(begun.ahead), 0) AS ahead
      FROM ticklake.usage_reserved AS begun
      LEFT JOIN ticklake.usage_ended AS ended
        ON ended.identity_id = begun.identity_id AND ended.server_id = begun.server_id
      WHERE begun.identity_id = account
    ) AS held
    CROSS JOIN (
      SELECT coalesce(sum(requests), 0) AS requests,
        coalesce(sum(scanned_bytes), 0) AS scanned_bytes,
        coalesce(sum(returned_bytes), 0) AS returned_bytes
      FROM ticklake.usage_second
      WHERE identity_id = account AND second <= (now_ms - 60000) / 1000 AND last_at <= now_ms - 60000
    ) AS past
    LEFT JOIN ticklake.usage_recent AS recent ON recent.identity_id = account
    LEFT JOIN ticklake.usage_month AS counted
      ON counted.identity_id = account AND counted.first_day = month_first
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(requests), 0) AS requests,
        coalesce(sum(scanned_bytes), 0) AS scanned_bytes,
        coalesce(sum(returned_bytes), 0) AS returned_bytes
      FROM ticklake.usage_day
      WHERE counted.identity_id IS NULL AND identity_id = account AND day BETWEEN month_first AND month_last
    ) AS days
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

  -- What each account has used and reserved before, in the order of the accounts, which are distinct; then reserves
  -- for it, ahead as well. Taken back before: what is left of the server's last lease; all of a reservation whose
  -- number is greater than that of the last answer, because nobody was let in by it; and requests that are not
  -- counted. One that comes after a later one, from a connection that was given up, changes nothing. Requests that
  -- pass a limit only by what others have ahead are put off. Each statement sees what was committed before it
  -- began, so the lock comes first. Plans are made once: to make them takes longer than the call.
  CREATE FUNCTION ticklake.usage_reserve(
    server text, accounts bigint[], for_month bigint[], for_minute bigint[],
    dropped_month bigint[], dropped_minute bigint[], sending bigint[],
    held_numbers bigint[], taken bigint[], next_numbers bigint[], aheads bigint[],
    month_limits bigint[], minute_limits bigint[],
    month_first text, month_last text, now_ms bigint
  ) RETURNS TABLE (
    month_requests bigint, month_scanned_bytes bigint, month_returned_bytes bigint,
    minute_requests bigint, minute_scanned_bytes bigint, minute_returned_bytes bigint, is_put_off boolean
  ) LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
  #variable_conflict use_column
  BEGIN
    -- Always in the same order, so that no two wait for each other.
    PERFORM pg_advisory_xact_lock(${ACCOUNT_LOCK_SPACE}, (ordered.account % 2147483647)::integer)
      FROM (SELECT account FROM unnest(accounts) AS account ORDER BY account) AS ordered;
    RETURN QUERY
      WITH given AS (
        SELECT * FROM unnest(accounts, for_month, for_minute, dropped_month, dropped_minute, sending,
            held_numbers, taken, next_numbers, aheads, month_limits, minute_limits)
          WITH ORDINALITY AS each (account, months, minutes, dropped_months, dropped_minutes, sending_bytes,
            held_number, taken_count, next_number, next_ahead, month_limit, minute_limit, place)
      ), found AS (
        SELECT given.*, coalesce(own.month_requests, 0) AS own_month,
          coalesce(own.minute_requests, 0) AS own_minute, coalesce(own.ahead, 0) AS own_ahead,
          coalesce(own.returned_bytes, 0) AS own_bytes,
          coalesce(ended.month_requests, 0) AS ended_month, coalesce(ended.minute_requests, 0) AS ended_minute,
          CASE WHEN own.lease_number = held_number THEN own.ahead - taken_count
            ELSE coalesce(own.ahead, 0) END AS back,
          CASE WHEN own.lease_number > held_number THEN own.asked_month ELSE 0 END AS lost_month,
          CASE WHEN own.lease_number > held_number THEN own.asked_minute ELSE 0 END AS lost_minute,
          coalesce(own.lease_number > next_number, false) AS is_late
        FROM given
        LEFT JOIN ticklake.usage_reserved AS own ON own.identity_id = account AND own.server_id = server
        LEFT JOIN ticklake.usage_ended AS ended ON ended.identity_id = account AND ended.server_id = server
      ), settled AS (
        SELECT found.*, own_month - back - lost_month AS answered_month,
          own_minute - back - lost_minute AS answered_minute
        FROM found
      ), kept AS (
        -- Never less than has ended: of a server that was taken for dead, nothing is there to give back.
        SELECT settled.*, greatest(ended_month, answered_month - dropped_months) AS kept_month,
          greatest(ended_minute, answered_minute - dropped_minutes) AS kept_minute
        FROM settled
      ), used AS (
        SELECT kept.*, now.month_requests - own_month + kept_month AS month_used, now.month_scanned_bytes,
          now.month_returned_bytes - own_bytes + sending_bytes AS month_returned,
          now.minute_requests - own_minute + kept_minute AS minute_used, now.minute_scanned_bytes,
          now.minute_returned_bytes - own_bytes + sending_bytes AS minute_returned,
          now.ahead - own_ahead AS others_ahead
        FROM kept
        CROSS JOIN LATERAL ticklake.usage_now(account, month_first, month_last, now_ms) AS now
      ), decided AS (
        SELECT used.*, coalesce(
            months > 0 AND month_used + months > month_limit AND month_used - others_ahead < month_limit,
            false
          ) OR coalesce(
            minutes > 0 AND minute_used + minutes > minute_limit AND minute_used - others_ahead < minute_limit,
            false
          ) AS passes_by_others
        FROM used
      ), judged AS (
        SELECT decided.*, passes_by_others AND others_ahead > 0 AS puts_off FROM decided
      ), let_in AS (
        SELECT judged.*, kept_month + CASE WHEN puts_off THEN 0 ELSE months END AS new_month,
          kept_minute + CASE WHEN puts_off THEN 0 ELSE minutes END AS new_minute
        FROM judged
      ), reserved AS (
        INSERT INTO ticklake.usage_reserved (server_id, identity_id, month_requests, minute_requests,
            asked_month, asked_minute, returned_bytes, ahead, lease_number)
          SELECT server, account, new_month + next_ahead, new_minute + next_ahead,
            new_month - answered_month, new_minute - answered_minute, sending_bytes, next_ahead, next_number
          FROM let_in WHERE NOT is_late
          ON CONFLICT (identity_id, server_id) DO UPDATE SET
            month_requests = excluded.month_requests, minute_requests = excluded.minute_requests,
            asked_month = excluded.asked_month, asked_minute = excluded.asked_minute,
            returned_bytes = excluded.returned_bytes, ahead = excluded.ahead,
            lease_number = excluded.lease_number
      )
      SELECT month_used, month_scanned_bytes, month_returned,
        minute_used, minute_scanned_bytes, minute_returned, puts_off
      FROM let_in ORDER BY place;
  END $$;

  -- Ends requests that a server has reserved, as far as they are still there: those of a server that was taken for
  -- dead are not. The rows are locked before it looks, so that it sees everything that was let in before.
  CREATE FUNCTION ticklake.usage_release(
    server text, accounts bigint[], of_month bigint[], of_minute bigint[]
  ) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO ticklake.usage_ended (identity_id, server_id, month_requests, minute_requests)
      SELECT account, server, 0, 0 FROM unnest(accounts) AS account ORDER BY account
      ON CONFLICT DO NOTHING;
    PERFORM FROM ticklake.usage_ended
      WHERE server_id = server AND identity_id = ANY (accounts) ORDER BY identity_id FOR UPDATE;
    UPDATE ticklake.usage_ended AS ended SET
        month_requests = least(begun.month_requests, ended.month_requests + given.months),
        minute_requests = least(begun.minute_requests, ended.minute_requests + given.minutes)
      FROM unnest(accounts, of_month, of_minute) AS given (account, months, minutes)
      JOIN ticklake.usage_reserved AS begun ON begun.identity_id = given.account
      WHERE begun.server_id = server AND ended.server_id = server AND ended.identity_id = given.account;
  END $$;
`;
