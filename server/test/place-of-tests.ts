/** Storage outside the home for tests, as set by the environment of the test run. */
const NAMES = [
  'TICKLAKE_LAKE',
  'TICKLAKE_S3_ENDPOINT',
  'TICKLAKE_EXTENSIONS',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'TICKLAKE_CLICKHOUSE_WRITER_PASSWORD',
  'TICKLAKE_CLICKHOUSE_READER_PASSWORD',
];

/** A name of its own, so that no test run gets into a store that somebody has set for work. */
const STORE = 'TICKLAKE_TEST_STORE';

/** Has all that is opened and started from now on use the store in a database. */
export function useStore(url: string): void {
  process.env[STORE] = url;
}

function storeEnvironment(): Record<string, string> {
  const store = process.env[STORE];
  return store === undefined ? {} : { TICKLAKE_STORE: store };
}

/** The environment that every program of a test has to have; mostly empty. */
export function placeEnvironment(): Record<string, string> {
  return { ...storeEnvironment(), ...lakeEnvironment() };
}

/** Settings of a lake outside the home; empty if the lake is in the home. */
export function lakeEnvironment(): Record<string, string> {
  if (process.env.TICKLAKE_LAKE === undefined) return {};
  return Object.fromEntries(
    NAMES.flatMap((name) => {
      const { [name]: value } = process.env;
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
