/** Where tests have what they store, besides their homes: as the environment of the test run says. */
const NAMES = [
  'TICKLAKE_LAKE',
  'TICKLAKE_S3_ENDPOINT',
  'TICKLAKE_EXTENSIONS',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
];

/** The environment that every program of a test has to have; mostly empty. */
export function placeEnvironment(): Record<string, string> {
  if (process.env.TICKLAKE_LAKE === undefined) return {};
  return Object.fromEntries(
    NAMES.flatMap((name) => {
      const { [name]: value } = process.env;
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
