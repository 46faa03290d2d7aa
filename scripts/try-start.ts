/**
 * Does what a newcomer does, in a fresh copy of the project: `npm start`, its query and its
 * console, a second start, and then the way to own data by the commands of the README. Fails when a
 * step does; prints how long each took. Run by `npm run test:start`; with `--installed`, the copy
 * begins with what is installed and built here.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasTerminal, runShellAtTerminal } from '../server/test/command-line/terminal.ts';
import { until } from '../server/test/until.ts';
import { copyProject, newcomerEnvironment, takeOverInstalled } from './newcomer/fresh-copy.ts';
import { type NpmServer, startUnderNpm } from './newcomer/npm-server.ts';
import { DEFAULT_ORIGIN, shellBlocks } from './newcomer/pages.ts';

const PASSWORD = 'correct horse 7 battery';
const PASSWORD_PROMPTS = ['press Enter to generate one): ', 'Repeat the password: '];

const folder = mkdtempSync(join(tmpdir(), 'ticklake-start-'));
const env = newcomerEnvironment();

function expectThat(holds: boolean, what: string): void {
  if (!holds) throw new Error(`expected ${what}`);
}

function say(text: string): void {
  process.stdout.write(`  ${text}\n`);
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

/** Runs shell commands in the copy, against a server on another port. */
function shell(commands: string, origin = DEFAULT_ORIGIN): string {
  const own = commands.replaceAll(DEFAULT_ORIGIN, origin);
  return execFileSync('sh', ['-euc', own], {
    cwd: folder,
    env,
    encoding: 'utf8',
    // The error has the reason; curl also shows its progress there.
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Tries the console's page, a script that the page names, and a sign-in. */
async function tryConsole(origin: string, email: string, password: string): Promise<void> {
  for (const path of ['/', '/docs', '/reference']) {
    const { ok } = await fetch(`${origin}${path}`);
    expectThat(ok, `a page at ${path}`);
  }
  const html = await (await fetch(`${origin}/console/`)).text();
  const [, script = ''] = /src="(\/console\/assets\/[^"]+\.js)"/.exec(html) ?? [];
  const { status, headers } = await fetch(`${origin}${script}`);
  expectThat(status === 200 && headers.has('content-encoding'), `the script ${script}`);
  const signIn = await fetch(`${origin}/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ email, password }),
  });
  expectThat(signIn.status === 200, `a sign-in, not a ${signIn.status}`);
  say(`the console answers, and ${email} signs in`);
}

/** The secrets of the demo, in files for their owner alone, and not in what was printed. */
function demoSecrets(banner: string): { key: string; password: string } {
  const [key = '', password = ''] = ['demo-key', 'demo-password'].map((name) => {
    const file = join(folder, '.ticklake/demo', name);
    expectThat((statSync(file).mode & 0o777) === 0o600, `a ${name} that only its owner reads`);
    const secret = readFileSync(file, 'utf8').trim();
    expectThat(!banner.includes(secret), `no secret of ${name} in a log`);
    return secret;
  });
  return { key, password };
}

function rowCountOf(answer: string): number {
  return (JSON.parse(answer) as { data: unknown[] }).data.length;
}

function tryDemoQueries({ banner, origin }: NpmServer): void {
  const [printed = ''] = /curl .*/.exec(banner) ?? [];
  const [, ofReadme = ''] = shellBlocks('README.md', 'Start');
  for (const command of [printed, ofReadme]) {
    expectThat(rowCountOf(shell(command, origin)) === 3, `three rows from ${command}`);
  }
  say('the printed query and that of the README find rows');
}

async function tryDemoDatasets(origin: string, key: string): Promise<void> {
  const ask = async (path: string) => {
    const answer = await fetch(`${origin}/v1/meta/datasets${path}`, {
      headers: { 'x-api-key': key },
    });
    return answer.json();
  };
  const list = (await ask('')) as { dataset_id: string }[];
  for (const { dataset_id: id } of list) {
    const { row_count: rows } = (await ask(`/${id}/status`)) as { row_count: number };
    expectThat(rows > 0, `rows in ${id}`);
  }
  say(`all ${list.length} datasets hold rows`);
}

/** Waits for what `npm start` makes after the first rows. */
async function tryRest({ origin, printed }: NpmServer): Promise<void> {
  const begun = performance.now();
  await Promise.all([
    printed(/^The market is complete$/m),
    until(async () => (await fetch(`${origin}/console/`)).ok),
  ]);
  say(`the whole market and the console are there ${seconds(performance.now() - begun)} later`);
}

async function tryDemo(): Promise<void> {
  for (const which of ['first', 'second']) {
    const server = await startUnderNpm(['start'], folder, env, /^ {2}npm run .* serve\n/m);
    say(`${which} npm start: listening after ${seconds(server.startMs)}`);
    const { key, password } = demoSecrets(server.banner);
    tryDemoQueries(server);
    if (which === 'first') await tryRest(server);
    await tryDemoDatasets(server.origin, key);
    await tryConsole(server.origin, 'owner@demo.localhost', password);
    await server.stop();
  }
  keepDemo();
}

/** Other steps of `.ci/run` read the same demo, which takes half a minute to make. */
function keepDemo(): void {
  const kept = process.env.TICKLAKE_KEPT_DEMO;
  if (kept === undefined) return;
  cpSync(join(folder, '.ticklake/demo'), `${kept}.copying`, { recursive: true });
  // The step may run twice, and a folder takes the place of an empty one alone.
  rmSync(kept, { recursive: true, force: true });
  renameSync(`${kept}.copying`, kept);
}

/** By the commands of the README, which end with a server and a query to it. */
async function tryOwnData(): Promise<void> {
  const [init = '', load = '', serve = '', query = ''] = shellBlocks('README.md', 'Your own data');
  const replies = PASSWORD_PROMPTS.map((prompt) => [prompt, `${PASSWORD}\r`] as const);
  const { exitCode, shown } = await runShellAtTerminal(init, { cwd: folder, env }, replies);
  expectThat(exitCode === 0, `a home, not:\n${shown}`);
  say('ticklake init made a home');
  shell(load);
  say('the commands that load files and make a key succeed');
  const key = readFileSync(join(folder, '.ticklake/first-key'), 'utf8').trim();
  const words = serve.trim().split(' ').slice(1);
  const server = await startUnderNpm(words, folder, env, /^ {2}describe .*\n/m);
  expectThat(!server.banner.includes('Not ready'), `a home that is ready, not:\n${server.banner}`);
  expectThat(!server.banner.includes(key), 'no key in a log');
  expectThat(rowCountOf(shell(query, server.origin)) === 2, 'the rows of the README');
  say('ticklake serve answers the query with the rows that were loaded');
  await tryConsole(server.origin, 'you@example.com', PASSWORD);
  await server.stop();
}

try {
  copyProject(folder);
  if (process.argv.includes('--installed')) takeOverInstalled(folder);
  await tryDemo();
  if (hasTerminal) await tryOwnData();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
