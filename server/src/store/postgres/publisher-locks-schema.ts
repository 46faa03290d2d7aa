/**
 * How publishers take their locks. Whoever publishes named datasets shares the publishing lock with others who do, and
 * has the locks of these datasets alone; whoever does more has the publishing lock alone.
 */
import { SESSION_LOCKS } from './write-locks.ts';

const { publishing } = SESSION_LOCKS;
/** Keeps datasets apart from other advisory locks. */
const DATASET_LOCK_SPACE = 0x71c41a51;

export const PUBLISHER_LOCKS_SCHEMA = `
  -- Takes all of them for the connection, or none, and a mark that ends with them; without datasets, the whole lake.
  CREATE FUNCTION ticklake.lake_lock(datasets integer[], mark bigint) RETURNS boolean
  LANGUAGE plpgsql AS $$
  DECLARE
    taken integer := 0;
    dataset integer;
  BEGIN
    IF cardinality(datasets) = 0 THEN
      IF NOT pg_try_advisory_lock(${publishing}) THEN
        RETURN false;
      END IF;
    ELSIF NOT pg_try_advisory_lock_shared(${publishing}) THEN
      RETURN false;
    END IF;
    FOREACH dataset IN ARRAY datasets LOOP
      IF NOT pg_try_advisory_lock(${DATASET_LOCK_SPACE}, dataset) THEN
        PERFORM pg_advisory_unlock(${DATASET_LOCK_SPACE}, each) FROM unnest(datasets[1:taken]) AS each;
        PERFORM pg_advisory_unlock_shared(${publishing});
        RETURN false;
      END IF;
      taken := taken + 1;
    END LOOP;
    PERFORM pg_advisory_lock(mark);
    RETURN true;
  END $$;

  CREATE FUNCTION ticklake.lake_unlock(datasets integer[], mark bigint) RETURNS void
  LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_advisory_unlock(mark);
    IF cardinality(datasets) = 0 THEN
      PERFORM pg_advisory_unlock(${publishing});
    ELSE
      PERFORM pg_advisory_unlock(${DATASET_LOCK_SPACE}, each) FROM unnest(datasets) AS each;
      PERFORM pg_advisory_unlock_shared(${publishing});
    END IF;
  END $$;
`;
