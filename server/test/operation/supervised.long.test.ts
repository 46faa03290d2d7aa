/** A server under what the documents tell people to start it with ends when that is ended. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, linkSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sampleOf } from '../repetitions.ts';
import { type Home, makeHome } from './server-process.ts';

const ROOT = join(import.meta.dirname, '../../..');

const folder = mkdtempSync(join(tmpdir(), 'ticklake-supervised-'));
/** Another Node than the pinned one, as far as the launcher can tell. */
const otherNode = join(folder, 'node');
let home: Home;

beforeAll(async () => {
  home = await makeHome(1, 1);
  // The demo takes it for its own, with all that it would make.
  writeFileSync(join(home.path, 'demo-home.txt'), '');
  try {
    linkSync(process.execPath, otherNode);
  } catch {
    copyFileSync(process.execPath, otherNode);
  }
});
afterAll(() => {
  home.remove();
  rmSync(folder, { recursive: true, force: true });
});

interface Supervised {
  readonly child: ChildProcess;
  readonly url: string;
  /** Whoever writes to the standard output has ended: the server has. */
  readonly outputEnded: Promise<unknown>;
  stdout(): string;
}

async function start(program: string, args: readonly string[]): Promise<Supervised> {
  const { PATH, HOME } = process.env;
  const child = spawn(program, args, {
    cwd: ROOT,
    env: { PATH, HOME, TICKLAKE_HOME: home.path, PORT: '0' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const outputEnded = once(child.stdout, 'end');
  let stdout = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
      const [, found] = /listening on (http:\S+)\n/.exec(stdout) ?? [];
      if (found) resolve(found);
    });
    outputEnded.then(() => reject(new Error(`it ended: ${stdout}`)));
  });
  return { child, url, outputEnded, stdout: () => stdout };
}

/** True if something listens at `url`. */
function isServed(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
}

const NPM_START: [string, string[]] = ['npm', ['start', '--ignore-scripts']];
const NPM_SERVE: [string, string[]] = ['npm', ['run', 'ticklake', '--', 'serve']];
const LAUNCHER: [string, string[]] = [otherNode, ['server/bin/ticklake.js', 'serve']];

const STOPS: readonly [NodeJS.Signals, [string, string[]]][] = [
  ['SIGTERM', NPM_START],
  ['SIGINT', NPM_START],
  ['SIGTERM', NPM_SERVE],
  ['SIGTERM', LAUNCHER],
];

it.each(sampleOf(STOPS, { offset: 2 }))(
  '%s to %j stops the server first and is then done',
  async (signal, [program, args]) => {
    const server = await start(program, args);
    expect(await isServed(server.url)).toBe(true);
    server.child.kill(signal);
    const [code] = await once(server.child, 'exit');
    expect(await isServed(server.url)).toBe(false);
    await server.outputEnded;
    expect([code, server.stdout()]).toEqual([0, expect.stringMatching(/\nStopped\.\n$/)]);
  },
);

it.each([[NPM_START], [LAUNCHER]])(
  'the server ends soon after %j is killed',
  async ([program, args]) => {
    const server = await start(program, args);
    server.child.kill('SIGKILL');
    await server.outputEnded;
    expect(await isServed(server.url)).toBe(false);
    expect(server.stdout()).toMatch(/\nStopped\.\n$/);
  },
);
