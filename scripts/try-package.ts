/**
 * Packs the project as for the registry, installs the tarball into an empty folder, and runs the
 * installed command there, also as a server with its console. Run by `npm run test:package`.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CLIENT_PACKAGES } from '../console/src/format/client-packages.ts';

const folder = mkdtempSync(join(tmpdir(), 'ticklake-package-'));

const ENVIRONMENT = {
  ...{ ...process.env, TICKLAKE_HOME: join(folder, 'home') },
  ...{ PORT: '0', TICKLAKE_OPERATION_PORT: '0' },
};

function run(program: string, args: readonly string[], cwd: string): string {
  process.stdout.write(`  ${program} ${args.join(' ')}\n`);
  return execFileSync(program, args, {
    cwd,
    encoding: 'utf8',
    env: ENVIRONMENT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Runs the installed command. */
const ticklake = (...words: string[]) => run('npx', ['--no', '--', 'ticklake', ...words], folder);

/** The addresses that the installed server prints when it listens, and a way to stop it. */
async function serve() {
  const child = spawn('npx', ['--no', '--', 'ticklake', 'serve'], {
    cwd: folder,
    env: ENVIRONMENT,
    stdio: ['ignore', 'pipe', 'inherit'],
    // A group of its own, so that stopping it stops npx and the server behind it.
    detached: true,
  });
  const stop = async () => {
    process.kill(-(child.pid as number), 'SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
  };
  let banner = '';
  for await (const chunk of child.stdout) {
    banner += chunk;
    const [, metrics] = /Operation pages are on (\S+\/metrics)/.exec(banner) ?? [];
    const [, origin] = /listening on (\S+)\n/.exec(banner) ?? [];
    if (origin && metrics) return { origin, metrics, stop };
  }
  throw new Error(`the installed server ended with ${child.exitCode}`);
}

const PATHS = [
  ...['/console/', '/console/config.json', '/docs/queries', '/v1/status'],
  ...Object.values(CLIENT_PACKAGES).map((file) => `/console/${file}`),
];

async function tryConsole(origin: string): Promise<void> {
  for (const path of PATHS) {
    const { status } = await fetch(`${origin}${path}`);
    if (status !== 200) throw new Error(`${path} of the installed server is a ${status}`);
  }
  process.stdout.write('  the installed server answers, and its console too\n');
}

/** A home with ticks of a day, enough for a page that a worker makes, and with a key. */
function fillHome(): string {
  const password = join(folder, 'password');
  writeFileSync(password, 'a password of the installed server');
  const owner = ['--email', 'owner@example.com', '--account', 'Ours'];
  ticklake('init', ...owner, '--password-file', password);
  const columns =
    'TradeDate,EventDateTime,EventType,Ticker,ASID,Price,Quantity,Exchange,ConditionCode';
  const tick = '2025-06-18,2025-06-18 09:30:00,TRADE,AAA,11,100.5,7,NYSE,1';
  const file = join(folder, 'ticks.csv');
  writeFileSync(file, `${[columns, ...Array<string>(3000).fill(tick)].join('\n')}\n`);
  ticklake('ingest', 'eq_taq', file);
  ticklake('rule', 'add', '--identity', '1', '--dataset', 'eq_taq');
  const secret = join(folder, 'key');
  const key = ['--identity', '1', '--name', 'a', '--expires-in', '1d', '--secret-file', secret];
  ticklake('key', 'create', ...key);
  return readFileSync(secret, 'utf8').trim();
}

/** A worker is ready long before so many. */
const PAGES_MAX = 20_000;

/** The workers are programs of their own: pages are asked for until one of them has made one. */
async function tryWorkers(origin: string, metrics: string, key: string): Promise<void> {
  for (let page = 0, made = 0; made === 0; page++) {
    const path = `/v1/data/us-equity/eq-taq/2025-06-18/AAA?limit=2500&offset=${page % 500}`;
    const { status } = await fetch(`${origin}${path}`, { headers: { 'x-api-key': key } });
    if (status !== 200) throw new Error(`${path} of the installed server is a ${status}`);
    const text = await (await fetch(metrics)).text();
    if (!/^ticklake_worker_deaths_total 0$/m.test(text)) throw new Error('a worker died');
    const counted = /^ticklake_worker_pages_total (\d+)$/m.exec(text);
    if (!counted) throw new Error('the pages of workers are not counted');
    if (page > PAGES_MAX) throw new Error(`no worker made one of ${page} pages`);
    made = Number(counted[1]);
  }
  process.stdout.write('  its workers make pages\n');
}

try {
  const packing = ['pack', '--workspace', 'ticklake', '--pack-destination', folder];
  run('npm', [...packing, '--loglevel=error'], process.cwd());
  const { version } = JSON.parse(readFileSync('server/package.json', 'utf8')) as {
    version: string;
  };
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  run('npm', ['install', '--loglevel=error', `./ticklake-${version}.tgz`], folder);
  const shown = ticklake('--version').trim();
  if (shown !== version) throw new Error(`the installed command is ${shown}, not ${version}`);
  const { datasets } = JSON.parse(ticklake('datasets', '--json')) as { datasets: unknown[] };
  const shippedCount = readdirSync('datasets').filter((name) => name.endsWith('.yaml')).length;
  if (datasets.length !== shippedCount) {
    throw new Error(`${datasets.length} datasets, not ${shippedCount}`);
  }
  process.stdout.write(`  the installed package ${shown} lists ${datasets.length} datasets\n`);
  const key = fillHome();
  const { origin, metrics, stop } = await serve();
  try {
    await tryConsole(origin);
    await tryWorkers(origin, metrics, key);
  } finally {
    await stop();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
