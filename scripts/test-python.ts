/**
 * Tests the Python client: its style, its types, and what it reads from a real server, with the
 * newest libraries and the oldest that it takes, and in backtest engines; then what the official
 * client of Delta Sharing reads. Run by `npm run test:python`; words after `--` go to pytest, for
 * the Python client alone. Without a Python that fits, it says so and ends well, unless
 * `TICKLAKE_PYTHON=required`. With `TICKLAKE_SPARK=1`, Spark reads the shared files, too; it needs
 * Java.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtProgram } from './built-program.ts';
import { prepareInterpreter, runToEnd } from './python-environment.ts';

const ROOT = join(import.meta.dirname, '..');
const CLIENT = join(ROOT, 'clients/python');
const CACHE = join(ROOT, 'node_modules/.cache/ticklake-python');
const EXTRAS = 'pandas,polars,duckdb,progress,test';
/** Which of several parts of the engines are tried, such as `2/3`. */
const [PART, PARTS] = (process.env.TICKLAKE_PART ?? '1/1').split('/').map(Number) as [
  number,
  number,
];
if (!(PART >= 1 && PART <= PARTS)) throw new Error('TICKLAKE_PART has to be such as 2/3');
/** Some take no pandas 3. */
const ENGINES = ['nautilus', 'vectorbt', 'zipline', 'qlib'].filter(
  (_, at) => at % PARTS === PART - 1,
);
const ENGINE_LISTS = join(CLIENT, 'tests/engines');
/** A gigabyte that engines ask for, and their tests never import; pip installs it all the same. */
process.env.UV_EXCLUDE = join(ENGINE_LISTS, 'excludes.txt');
/** The official client of Delta Sharing takes neither pandas 3 nor a later pyarrow. */
const SHARING = join(ROOT, 'server/test/sharing/python');
const WITH_SPARK = process.env.TICKLAKE_SPARK === '1';
const OLDEST = 'import sys; sys.exit(sys.version_info < (3, 11))';

/** Checks that depend on the libraries' own types and behaviour. */
const LIBRARY_TESTS = ['types', 'reads', 'catalogue', 'duckdb_sql'];

/** Words for pytest are for the Python client alone. */
const IS_WHOLE = process.argv.length === 2;

interface Interpreters {
  readonly client: string;
  /** With the oldest libraries that the Python client takes. */
  readonly oldest: string;
  /** With pandas 2, for engines and Delta Sharing. */
  readonly engines: string;
}

/** The oldest declared version of each library, and DuckDB's extension for HTTP. */
function oldestLibraries(project: string): string[] {
  const declared = [...project.matchAll(/^(?:dependencies|pandas|polars|duckdb|progress) = .*$/gm)];
  const words = declared.flatMap(([line]) => [...line.matchAll(/"([\w-]+)>=([\d.]+)"/g)]);
  const oldest = words.map(([, name, version]) => `${name}==${version}`);
  // There is one for each release of DuckDB, but not at once for the newest.
  const extension = oldest.filter((word) => word.startsWith('duckdb=='));
  return [...oldest, ...extension.map((word) => word.replace('==', '-extension-httpfs=='))];
}

async function interpreters(): Promise<Interpreters | null> {
  try {
    await runToEnd('python3', ['-c', OLDEST]);
    const requirements = readFileSync(join(CLIENT, 'pyproject.toml'), 'utf8');
    const words = ['--editable', `${CLIENT}[${EXTRAS}]`];
    const lists = [
      join(SHARING, WITH_SPARK ? 'requirements-spark.txt' : 'requirements.txt'),
      ...ENGINES.map((name) => join(ENGINE_LISTS, `${name}.txt`)),
    ];
    const listed = lists.map((list) => readFileSync(list, 'utf8')).join('');
    const oldestWords = [...words, ...oldestLibraries(requirements)];
    const engineLists = lists.flatMap((list) => ['--requirement', list]);
    const engineWords = ['--editable', `${CLIENT}[pandas]`, ...engineLists];
    const [client, oldest = '', engines = ''] = await Promise.all([
      prepareInterpreter(CACHE, `${requirements}${CLIENT}`, words),
      ...(IS_WHOLE
        ? [
            prepareInterpreter(CACHE, `oldest ${requirements}${CLIENT}`, oldestWords),
            prepareInterpreter(CACHE, `${listed}${requirements}${CLIENT}`, engineWords),
          ]
        : []),
    ]);
    return { client, oldest, engines };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const text = `no Python 3.11 for the tests of the client (Debian: apt-get install python3-venv): ${reason}`;
    if (process.env.TICKLAKE_PYTHON === 'required') throw new Error(text);
    process.stderr.write(`SKIPPED: ${text}\n`);
    return null;
  }
}

const STEPS = [
  ['ruff', 'format', '--check', '.'],
  ['ruff', 'check', '.'],
  ['mypy'],
  ['pyright'],
  ['pytest', ...process.argv.slice(2)],
];

function runs(python: string, words: readonly string[]): boolean {
  const { status } = spawnSync(python, ['-m', ...words], { cwd: CLIENT, stdio: 'inherit' });
  return status === 0;
}

/** Pyright would look for the libraries in the machine's own Python. */
const wordsFor = (python: string, words: readonly string[]) =>
  words[0] === 'pyright' ? [...words, '--pythonpath', python] : words;

function passes({ client, oldest, engines }: Interpreters): boolean {
  const isGood = STEPS.every((words) => runs(client, wordsFor(client, words)));
  if (!isGood || !IS_WHOLE) return isGood;
  return (
    runs(oldest, ['pytest', ...LIBRARY_TESTS.map((name) => `tests/test_${name}.py`)]) &&
    (ENGINES.length === 0 ||
      runs(engines, ['pytest', ...ENGINES.map((name) => `tests/test_${name}.py`)])) &&
    passesSharing(engines)
  );
}

/** The client's tests share this server and these rows. */
function passesSharing(python: string): boolean {
  const env = { ...process.env, PYTHONPATH: CLIENT };
  const words = ['-m', 'pytest', '-q', '--rootdir', SHARING, '-p', 'no:cacheprovider', SHARING];
  return spawnSync(python, words, { cwd: SHARING, env, stdio: 'inherit' }).status === 0;
}

const found = await interpreters();
process.env.TICKLAKE_PROGRAM = builtProgram();
// The first run of pytest builds a home there, which the others copy.
const folder = mkdtempSync(join(tmpdir(), 'ticklake-known-'));
process.env.TICKLAKE_KNOWN_HOME = folder;
try {
  process.exitCode = found === null || passes(found) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true });
}
