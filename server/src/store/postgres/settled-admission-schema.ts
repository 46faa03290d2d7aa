/**
 * A reservation that settles, by its number, what an earlier one of the server has left behind whose answer was lost. It
 * also tells what is given back and what is being sent, so that these count once as well, whatever is lost.
 */
import { ACCOUNT_LOCK_SPACE } from './shared-usage-schema.ts';

export const SETTLED_ADMISSION_SCHEMA = `
  -- By how much the reservation of lease_number has changed the requests of its row, without those ahead.
  ALTER TABLE ticklake.usage_reserved
    ADD COLUMN asked_month bigint NOT NULL DEFAULT 0,
    ADD COLUMN asked_minute bigint NOT NULL DEFAULT 0;

  -- In place of usage_reserve, which servers of the release before still call. What each account has used and reserved
  -- before, in the order of the accounts, which are distinct; then reserves for it, ahead as well. Taken back before:
  -- what is left of the server's last lease; all of a reservation whose number is greater than that of the last
  -- answer, because nobody was let in by it; and requests that are not counted. One that comes after a later one, from a
  -- connection that was given up, changes nothing. Requests that pass a limit only by what others have ahead are put off.
  -- Each statement sees what was committed before it began, so the lock comes first. Plans are made once: to make
  -- them takes longer than the call.
  CREATE FUNCTION ticklake.usage_settle_and_reserve(
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
`;
