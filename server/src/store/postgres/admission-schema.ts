/**
 * What a server asks of the database to let requests in, in one short call. Whatever is let in counts up in one row, what
 * has ended in another, so that no admission waits for a transaction that writes usage and its disk; and sums
 * of the last seconds are kept, so that few rows are read. Decisions about an account come one after the
 * other, under its advisory lock.
 */
import { ACCOUNT_LOCK_SPACE } from './shared-usage-schema.ts';

export const ADMISSION_SCHEMA = `
  DROP FUNCTION ticklake.usage_reserve(text, bigint[], bigint[], bigint[], text, text, bigint);
  DROP FUNCTION ticklake.usage_release(text, bigint[], bigint[], bigint[], bigint[]);
  DROP FUNCTION ticklake.usage_now(bigint, text, bigint);

  -- How many of the requests in usage_reserved have ended, never more than there are.
  CREATE UNLOGGED TABLE ticklake.usage_ended (
    identity_id bigint NOT NULL,
    server_id text NOT NULL,
    month_requests bigint NOT NULL,
    minute_requests bigint NOT NULL,
    PRIMARY KEY (identity_id, server_id)
  ) WITH (fillfactor = 50);

  -- Sums of all that usage_second holds of an account.
  CREATE TABLE ticklake.usage_recent (
    identity_id bigint PRIMARY KEY,
    requests bigint NOT NULL,
    scanned_bytes bigint NOT NULL,
    returned_bytes bigint NOT NULL
  ) WITH (fillfactor = 50);
  INSERT INTO ticklake.usage_recent
    SELECT identity_id, sum(requests), sum(scanned_bytes), sum(returned_bytes)
    FROM ticklake.usage_second GROUP BY identity_id;

  -- Of what a server has let in: how many are reserved ahead and, as far as it has told, not taken yet; and
  -- the number under which it knows them.
  ALTER TABLE ticklake.usage_reserved
    ADD COLUMN ahead bigint NOT NULL DEFAULT 0,
    ADD COLUMN lease_number bigint NOT NULL DEFAULT 0;

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

  -- What each account has used and reserved before, in the order of the accounts, which are distinct; then
  -- reserves for it, ahead as well. What is left of the server's last lease is given back before; a lease of another
  -- number is one whose answer was lost, so that nothing of it was taken. Requests that pass a limit only by what
  -- others have ahead are put off. Each statement sees what was committed before it began, so the lock comes first.
  -- Plans are made once: to make them takes longer than the call.
  CREATE FUNCTION ticklake.usage_reserve(
    server text, accounts bigint[], for_month bigint[], for_minute bigint[],
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
      WITH asked AS (
        SELECT given.*, coalesce(own.month_requests, 0) AS own_month,
          coalesce(own.minute_requests, 0) AS own_minute, coalesce(own.ahead, 0) AS own_ahead,
          CASE WHEN own.lease_number = given.held_number THEN own.ahead - given.taken_count
            ELSE coalesce(own.ahead, 0) END AS back
        FROM unnest(accounts, for_month, for_minute, held_numbers, taken, next_numbers, aheads,
            month_limits, minute_limits)
          WITH ORDINALITY AS given (account, months, minutes, held_number, taken_count, next_number,
            next_ahead, month_limit, minute_limit, place)
        LEFT JOIN ticklake.usage_reserved AS own
          ON own.identity_id = given.account AND own.server_id = server
      ), used AS (
        SELECT asked.*, now.month_requests - back AS month_used, now.month_scanned_bytes,
          now.month_returned_bytes, now.minute_requests - back AS minute_used,
          now.minute_scanned_bytes, now.minute_returned_bytes, now.ahead - own_ahead AS others_ahead
        FROM asked
        CROSS JOIN LATERAL ticklake.usage_now(asked.account, month_first, month_last, now_ms) AS now
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
      ), reserved AS (
        INSERT INTO ticklake.usage_reserved
            (server_id, identity_id, month_requests, minute_requests, ahead, lease_number)
          SELECT server, account,
            own_month - back + next_ahead + CASE WHEN puts_off THEN 0 ELSE months END,
            own_minute - back + next_ahead + CASE WHEN puts_off THEN 0 ELSE minutes END,
            next_ahead, next_number
          FROM judged
          ON CONFLICT (identity_id, server_id) DO UPDATE SET
            month_requests = excluded.month_requests, minute_requests = excluded.minute_requests,
            ahead = excluded.ahead, lease_number = excluded.lease_number
      )
      SELECT month_used, month_scanned_bytes, month_returned_bytes,
        minute_used, minute_scanned_bytes, minute_returned_bytes, puts_off
      FROM judged ORDER BY place;
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
