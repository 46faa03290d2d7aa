/**
 * Packs the program as for the registry and does with it what a newcomer does, on the machine's own
 * Node and from an empty home: `npx ticklake demo` with the query that it prints, and an installed
 * command; then the conformance kit by `npx`. Run by `npm run test:package`.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { buildConformanceKit } from '../conformance/build-package.ts';
import { CLIENT_PACKAGES } from '../console/src/format/client-packages.ts';
import { INTERFACE_VERSION, SERVICE_VERSION } from '../server/src/base/installation.ts';
import { newcomerEnvironment } from './newcomer/fresh-copy.ts';

/** All that is in the package: nothing that only building and testing need. */
const CONTENTS = [
  ...['CHANGELOG.md', 'LICENSE', 'README.md', 'bin', 'cache', 'console', 'datasets', 'deploy'],
  ...['licenses.md', 'package.json', 'program'],
];

const folder = mkdtempSync(join(tmpdir(), 'ticklake-package-'));
const HOME = join(folder, 'home');
const EMPTY = join(folder, 'empty');
const PREFIX = join(folder, 'prefix');
const isOfMachine = (path: string) => !path.includes('node_modules');

const ENVIRONMENT = {
  ...newcomerEnvironment(),
  ...{ HOME, TICKLAKE_OPERATION_PORT: '0', npm_config_cache: join(folder, 'cache') },
  PATH: [
    join(PREFIX, 'bin'),
    ...(process.env.PATH ?? '').split(delimiter).filter(isOfMachine),
  ].join(delimiter),
};

function say(text: string): void {
  process.stdout.write(`  ${text}\n`);
}

function expectThat(holds: boolean, what: string): void {
  if (!holds) throw new Error(`expected ${what}`);
}

function run(program: string, args: readonly string[], cwd = EMPTY): string {
  const begun = performance.now();
  const output = execFileSync(program, args, {
    cwd,
    encoding: 'utf8',
    env: ENVIRONMENT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  say(`${((performance.now() - begun) / 1000).toFixed(1)} s: ${program} ${args.join(' ')}`);
  return output;
}

/** Packs, checks what is in it, and returns the tarball. */
function pack(): string {
  execFileSync('npm', ['run', '--silent', 'build:package', '--', '--logLevel', 'error']);
  const words = ['pack', './server/dist', '--json', '--pack-destination', folder];
  const [packed] = JSON.parse(run('npm', words, process.cwd())) as [
    { filename: string; size: number; files: { path: string }[] },
  ];
  const found = new Set(packed.files.map(({ path }) => path.split('/')[0] as string));
  expectThat(
    `${[...found].sort()}` === `${CONTENTS}`,
    `${CONTENTS} in the package, not ${[...found]}`,
  );
  say(`${packed.filename}: ${packed.files.length} files, ${packed.size} bytes`);
  return join(folder, packed.filename);
}

/** The demo that npx started, when it listens, and a way to stop it. */
async function startDemo(tarball: string) {
  const begun = performance.now();
  const child = spawn('npx', ['--yes', '--package', tarball, '--', 'ticklake', 'demo'], {
    cwd: EMPTY,
    env: ENVIRONMENT,
    stdio: ['ignore', 'pipe', 'inherit'],
    // A group of its own, so that stopping it stops npx and the server behind it.
    detached: true,
  });
  const closed = once(child, 'close');
  const stop = async () => {
    process.kill(-(child.pid as number), 'SIGTERM');
    // npx may end before the server behind it, which has the same output.
    child.stdout.resume();
    await closed;
  };
  let banner = '';
  let hasListened = false;
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    banner += chunk;
    const [, metrics] = /Operation pages are on (\S+\/metrics)/.exec(banner) ?? [];
    const [, origin] = /listening on (\S+)\n/.exec(banner) ?? [];
    const [query] = /curl .*(?=\n)/.exec(banner) ?? [];
    if (!origin || !metrics || !query) continue;
    const after = `after ${((performance.now() - begun) / 1000).toFixed(1)} s`;
    if (!hasListened) say(`npx ticklake demo listens ${after}`);
    hasListened = true;
    if (!/^The market is complete$/m.test(banner)) continue;
    say(`its market is complete ${after}`);
    return { origin, metrics, query, stop };
  }
  throw new Error(`the demo ended with ${child.exitCode}`);
}

const PATHS = [
  ...['/console/', '/console/config.json', '/docs', '/reference'],
  ...Object.values(CLIENT_PACKAGES).map((file) => `/console/${file}`),
];

async function tryAnswers(origin: string, query: string): Promise<void> {
  for (const path of PATHS) {
    const { status } = await fetch(`${origin}${path}`);
    expectThat(status === 200, `an answer to ${path}, not ${status}`);
  }
  const json = async (path: string) =>
    JSON.parse(await (await fetch(`${origin}/v1${path}`)).text());
  const { version } = await json('/status');
  expectThat(version === SERVICE_VERSION, `${SERVICE_VERSION} in the status, not ${version}`);
  const described = (await json('/openapi.json')).info.version;
  expectThat(described === INTERFACE_VERSION, `the interface ${INTERFACE_VERSION}`);
  const { data } = JSON.parse(run('sh', ['-c', query]));
  expectThat(data.length === 3, 'three rows from the printed query');
}

/** A worker is ready long before so many. */
const PAGES_MAX = 20_000;

/** The workers are programs of their own: pages are asked for until one of them has made one. */
async function tryWorkers(origin: string, metrics: string, query: string): Promise<void> {
  const key = readFileSync(join(EMPTY, '.ticklake/demo/demo-key'), 'utf8').trim();
  const [daily = ''] = /\/v1[^?]*(?=\?)/.exec(query) ?? [];
  for (let page = 0, made = 0; made === 0; page++) {
    const path = `${daily}?limit=2500&offset=${page % 500}`;
    const { status } = await fetch(`${origin}${path}`, { headers: { 'x-api-key': key } });
    expectThat(status === 200, `rows of ${path}, not ${status}`);
    const text = await (await fetch(metrics)).text();
    expectThat(/^ticklake_worker_deaths_total 0$/m.test(text), 'no death of a worker');
    const counted = /^ticklake_worker_pages_total (\d+)$/m.exec(text);
    expectThat(page <= PAGES_MAX, `a page of a worker among ${page}`);
    made = Number(counted?.[1]);
  }
  say('its workers make pages');
}

/** The kit needs nothing of the program, and runs on any Node. */
function tryConformanceKit(): void {
  const built = join(folder, 'kit');
  buildConformanceKit(built);
  const [{ filename }] = JSON.parse(
    run('npm', ['pack', built, '--json', '--pack-destination', folder]),
  ) as [{ filename: string }];
  const npx = ['--yes', '--package', join(folder, filename), '--', 'ticklake-conformance'];
  run('npx', [...npx, 'market', 'market']);
  expectThat(readdirSync(join(EMPTY, 'market')).length === 4, 'four files of its market');
  const list = run('npx', [...npx, '--list']);
  expectThat(list.includes('paging.walk: '), 'a list of its checks');
}

/** As a command on the path, of any folder. */
function tryInstalled(tarball: string): void {
  run('npm', ['install', '--global', '--prefix', PREFIX, '--loglevel=error', tarball]);
  const shown = run('ticklake', ['--version']).trim();
  expectThat(shown === SERVICE_VERSION, `${SERVICE_VERSION} of the command, not ${shown}`);
  const demo = ['--home', '.ticklake/demo', '--json'];
  const { datasets } = JSON.parse(run('ticklake', ['datasets', ...demo]));
  const shippedCount = readdirSync('datasets').filter((name) => name.endsWith('.yaml')).length;
  expectThat(datasets.length === shippedCount, `${shippedCount} datasets, not ${datasets.length}`);
}

try {
  for (const path of [HOME, EMPTY, PREFIX]) mkdirSync(path);
  const tarball = pack();
  const { origin, metrics, query, stop } = await startDemo(tarball);
  try {
    await tryAnswers(origin, query);
    await tryWorkers(origin, metrics, query);
  } finally {
    await stop();
  }
  tryInstalled(tarball);
  tryConformanceKit();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
