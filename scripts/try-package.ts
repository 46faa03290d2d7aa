/**
 * Packs the program as for the registry, on the machine's own Node and from an empty home, and runs
 * what pages print for those who have it of there: install.md, upgrade.md and others. Run by
 * `npm run test:package`.
 */
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { buildConformanceKit } from '../conformance/build-package.ts';
import { CLIENT_PACKAGES } from '../console/src/format/client-packages.ts';
import { INTERFACE_VERSION, SERVICE_VERSION } from '../server/src/base/installation.ts';
import { newcomerEnvironment } from './newcomer/fresh-copy.ts';
import { PageShell, say, since } from './newcomer/page-shell.ts';
import { DEFAULT_ORIGIN, shellBlocks } from './newcomer/pages.ts';

/** All that is in the package: nothing that only building and testing need. */
const CONTENTS = [
  ...['CHANGELOG.md', 'LICENSE', 'README.md', 'bin', 'cache', 'console', 'datasets', 'deploy'],
  ...['licenses.md', 'package.json', 'program'],
];

const folder = mkdtempSync(join(tmpdir(), 'ticklake-package-'));
const placeOf = (name: string) => join(folder, name);
const [HOME, PREFIX] = [placeOf('home'), placeOf('prefix')];
const [EMPTY, CLIENT, OWN, MARKET, KEPT] = [
  placeOf('empty'),
  placeOf('client'),
  placeOf('own'),
  placeOf('kit-home'),
  placeOf('kept'),
];
const TARBALL = `ticklake-${SERVICE_VERSION}.tgz`;
const KIT = `ticklake-conformance-${SERVICE_VERSION}.tgz`;
const PASSWORD = placeOf('password');
const isOfMachine = (path: string) => !path.includes('node_modules');

/** Names in pages, each with its place here; servers have the ports that they get. */
const ELSEWHERE: readonly (readonly [RegExp, string])[] = [
  // The package is not in the registry, and of its releases there is this one.
  [/(npx|npm install .*?) ticklake(@\S+)?(?=\s)/g, `$1 ../${TARBALL}`],
  [/npx ticklake-conformance/g, `npx ../${KIT}`],
  // Nobody becomes root.
  [/sudo systemctl restart ticklake/g, '/opt/ticklake/node_modules/.bin/ticklake serve'],
  [/sudo /g, ''],
  [/\/(?=(opt|mnt)\/)/g, `${folder}/`],
  // Without a terminal, passwords come from files.
  [/ticklake init .*/g, `$& --password-file ${PASSWORD}`],
  [/KEY=\.\.\. (\w+)=\.\.\./g, 'KEY=$(cat first.key) $1=$(cat restricted.key)'],
];

const shell = new PageShell(
  {
    ...newcomerEnvironment(),
    ...{ HOME, TICKLAKE_OPERATION_PORT: '0', npm_config_cache: join(folder, 'cache') },
    ...{ npm_config_prefix: PREFIX, npm_config_pack_destination: folder },
    // npx asks before it installs.
    npm_config_yes: 'true',
    PATH: [
      join(PREFIX, 'bin'),
      ...(process.env.PATH ?? '').split(delimiter).filter(isOfMachine),
    ].join(delimiter),
  },
  ELSEWHERE,
);

const [TRY = '', INSTALL = '', INSTALL_SERVICE = '', PACK = ''] = shellBlocks('docs/install.md');
const [UPGRADE = '', UPGRADE_SERVICE = ''] = shellBlocks('docs/upgrade.md');
const [START = '', START_OWN = ''] = shellBlocks('server/README.md');
const [RUN_KIT = '', PREPARE_KIT = ''] = shellBlocks('conformance/README.md');

function expectThat(holds: boolean, what: string): void {
  if (!holds) throw new Error(`expected ${what}`);
}

/** Packs, and checks what is in it. */
async function pack(): Promise<void> {
  await shell.run(PACK, process.cwd());
  const files = execFileSync('tar', ['-tzf', placeOf(TARBALL)], { encoding: 'utf8' })
    .trim()
    .split('\n');
  const found = new Set(files.map((path) => path.split('/')[1] as string));
  expectThat(
    `${[...found].sort()}` === `${CONTENTS}`,
    `${CONTENTS} in the package, not ${[...found]}`,
  );
  say(`${files.length} files`);
}

async function tryDemo(): Promise<void> {
  const begun = performance.now();
  await shell.run(TRY, EMPTY);
  const [query = ''] = await shell.printed(/curl .*(?=\n)/);
  await shell.printed(/^The market is complete$/m);
  say(`its market is complete after ${since(begun)}`);
  await tryAnswers(shell, query);
  await tryWorkers(shell, query);
  await tryClient(shell);
  await shell.run(START, EMPTY);
}

const PATHS = [
  ...['/console/', '/console/config.json', '/docs', '/reference'],
  ...Object.values(CLIENT_PACKAGES).map((file) => `/console/${file}`),
];

async function tryAnswers({ origin }: PageShell, query: string): Promise<void> {
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
  const { data } = JSON.parse(await shell.run(query, EMPTY));
  expectThat(data.length === 3, 'three rows from the printed query');
}

/** A worker is ready long before so many. */
const PAGES_MAX = 20_000;

/** The workers are programs of their own: pages are asked for until one of them has made one. */
async function tryWorkers({ origin, metrics }: PageShell, query: string): Promise<void> {
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

/** The first program of its page. */
async function tryClient({ origin }: PageShell): Promise<void> {
  const page = readFileSync('docs/clients/typescript.md', 'utf8');
  const [, program = ''] = /```ts\n(.*?)```/s.exec(page) ?? [];
  writeFileSync(join(CLIENT, 'first.mjs'), program.replace(DEFAULT_ORIGIN, origin));
  await shell.run(shellBlocks('docs/clients/typescript.md')[0] ?? '', CLIENT);
  const key = join(EMPTY, '.ticklake/demo/demo-key');
  const printed = await shell.run(`TICKLAKE_KEY=$(cat ${key}) node first.mjs`, CLIENT);
  expectThat(printed.split('\n').length > 100, `a day's trades, not ${printed}`);
}

/** As a command on the path, of any folder. */
async function tryInstalled(): Promise<void> {
  const shown = await shell.run(INSTALL, EMPTY);
  expectThat(shown.endsWith(`\n${SERVICE_VERSION}\n`), `${SERVICE_VERSION}, not ${shown}`);
  for (const command of shellBlocks('docs/demo-market.md')) await shell.run(command, EMPTY);
  const listed = await shell.run('ticklake datasets --home .ticklake/demo --json', EMPTY);
  const { datasets } = JSON.parse(listed);
  const shippedCount = readdirSync('datasets').filter((name) => name.endsWith('.yaml')).length;
  expectThat(datasets.length === shippedCount, `${shippedCount} datasets, not ${datasets.length}`);
  await shell.run(START_OWN, OWN);
  expectThat((await fetch(`${shell.origin}/v1/status`)).ok, 'an answer from a new home');
}

/** The kit needs nothing of the program, and runs on any Node. */
async function tryConformanceKit(): Promise<void> {
  buildConformanceKit(placeOf('kit'));
  await shell.run(`npm pack ${placeOf('kit')}`, MARKET);
  await shell.run('npx ticklake-conformance market market', MARKET);
  await shell.run(`${PREPARE_KIT}ticklake serve\n`, MARKET);
  const told = await shell.run(RUN_KIT, MARKET);
  expectThat(/^\d+ passed, 0 failed, 0 skipped$/m.test(told), `all checks to pass, not ${told}`);
}

/** The kept home of the first release, by both ways to a later one, which there is not yet. */
async function tryUpgrade(): Promise<void> {
  execFileSync('tar', ['-xzf', 'server/test/upgrade/home-0.1.0.tar.gz', '-C', KEPT]);
  renameSync(join(KEPT, 'home'), join(KEPT, '.ticklake'));
  await shell.run('ticklake serve\n', KEPT);
  const { version } = JSON.parse(await lastLine(UPGRADE, KEPT));
  expectThat(version === SERVICE_VERSION, `${SERVICE_VERSION} in the status, not ${version}`);
  await shell.run(INSTALL_SERVICE, KEPT);
  const { ready } = JSON.parse(await lastLine(UPGRADE_SERVICE, KEPT));
  expectThat(ready, 'a server that is ready');
  say(`${readdirSync(placeOf('mnt/backup/ticklake'))} in the backup`);
}

async function lastLine(commands: string, cwd: string): Promise<string> {
  return (await shell.run(commands, cwd)).trim().split('\n').at(-1) as string;
}

try {
  for (const path of [HOME, EMPTY, CLIENT, OWN, MARKET, PREFIX, KEPT, placeOf('mnt/backup')]) {
    mkdirSync(path, { recursive: true });
  }
  writeFileSync(PASSWORD, 'correct horse 7 battery');
  await pack();
  await tryDemo();
  await tryInstalled();
  await tryConformanceKit();
  await tryUpgrade();
} finally {
  await shell.stop();
  rmSync(folder, { recursive: true, force: true });
}
