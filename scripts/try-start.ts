/**
 * Does what a newcomer does: `npm start` in an empty home and without a built console, then the
 * printed query and the console, then a second start. Fails when a step does; prints how long each took. Run by `npm run test:start`.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const START_LIMIT_MS = 300_000;
const BUILD_LIMIT_MS = 20_000;
const PORT = '18080';
const CONSOLE_BUILD = 'console/dist';

interface Started {
  readonly child: ChildProcess;
  readonly banner: string;
  readonly ms: number;
}

async function start(home: string): Promise<Started> {
  const begun = performance.now();
  // A group of its own, so that stopping it stops npm and the server behind it.
  const child = spawn('npm', ['start'], {
    env: { ...process.env, TICKLAKE_HOME: home, PORT },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  let banner = '';
  child.stdout?.on('data', (chunk) => {
    banner += chunk;
  });
  while (!/describe .*\n/.test(banner)) {
    if (child.exitCode !== null) throw new Error(`npm start ended with ${child.exitCode}`);
    if (performance.now() - begun > START_LIMIT_MS) throw new Error('npm start took too long');
    await sleep(20);
  }
  return { child, banner, ms: performance.now() - begun };
}

async function stop({ child }: Started): Promise<void> {
  process.kill(-(child.pid as number), 'SIGTERM');
  if (child.exitCode === null) await once(child, 'exit');
}

function expectThat(holds: boolean, what: string): void {
  if (!holds) throw new Error(`expected ${what}`);
}

/** What `npm start` does before the server, alone. */
function tryBuild(): void {
  rmSync(CONSOLE_BUILD, { recursive: true, force: true });
  const begun = performance.now();
  const { status } = spawnSync('npm', ['run', 'prestart'], { stdio: 'inherit' });
  const ms = performance.now() - begun;
  expectThat(status === 0 && existsSync(`${CONSOLE_BUILD}/index.html`), 'a built console');
  expectThat(ms < BUILD_LIMIT_MS, `a console built in under ${BUILD_LIMIT_MS} ms, not in ${ms}`);
  process.stdout.write(`  the console is built after ${(ms / 1000).toFixed(1)} s\n`);
}

/** Its page, and a script that the page names. */
async function tryConsole({ banner }: Started): Promise<void> {
  const [, origin = ''] = /listening on (\S+)/.exec(banner) ?? [];
  const page = await fetch(`${origin}/`);
  const html = await page.text();
  expectThat(page.url === `${origin}/console/`, `the console at the root, not ${page.url}`);
  const [, script = ''] = /src="(\/console\/assets\/[^"]+\.js)"/.exec(html) ?? [];
  const { status, headers } = await fetch(`${origin}${script}`);
  expectThat(status === 200 && headers.has('content-encoding'), `the script ${script}`);
  process.stdout.write('  the console answers\n');
}

async function tryQuery({ banner }: Started, home: string): Promise<void> {
  const match = /curl -H 'X-API-KEY: (\S+)' '(\S+)'/.exec(banner);
  const [, key = '', url = ''] = match ?? [];
  expectThat(match !== null, `a curl line in:\n${banner}`);
  const keyFile = join(home, 'demo-key');
  expectThat(readFileSync(keyFile, 'utf8').trim() === key, 'the key in its file');
  expectThat((statSync(keyFile).mode & 0o777) === 0o600, 'a key file that only its owner reads');
  const answer = await fetch(url, { headers: { 'X-API-KEY': key } });
  const { data } = (await answer.json()) as { data: unknown[] };
  expectThat(answer.status === 200 && data.length === 3, 'three rows from the printed query');
  const datasets = new URL('/v1/meta/datasets', url);
  const list = (await (await fetch(datasets, { headers: { 'X-API-KEY': key } })).json()) as {
    dataset_id: string;
  }[];
  for (const { dataset_id: id } of list) {
    const status = new URL(`/v1/meta/datasets/${id}/status`, url);
    const { row_count: rows } = (await (
      await fetch(status, { headers: { 'X-API-KEY': key } })
    ).json()) as { row_count: number };
    expectThat(rows > 0, `rows in ${id}`);
  }
  process.stdout.write(`  the printed query found ${data.length} rows\n`);
  process.stdout.write(`  all ${list.length} datasets hold rows\n`);
}

const home = mkdtempSync(join(tmpdir(), 'ticklake-start-'));
try {
  tryBuild();
  const first = await start(home);
  process.stdout.write(`  first npm start: listening after ${(first.ms / 1000).toFixed(1)} s\n`);
  await tryQuery(first, home);
  await tryConsole(first);
  await stop(first);
  const second = await start(home);
  process.stdout.write(`  second npm start: listening after ${(second.ms / 1000).toFixed(1)} s\n`);
  await tryQuery(second, home);
  await stop(second);
} finally {
  rmSync(home, { recursive: true, force: true });
}
