/** A real server process on a home of its own, with rows to read and accounts to read them with. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { demoKeyFile } from '@ticklake/demo/demo-home.ts';
import { makeDemoAccount } from '@ticklake/demo/prepare-demo.ts';
import { systemClock } from '../../src/base/clock.ts';
import { batchOfRows, type CellValue } from '../../src/engine/columns.ts';
import { openServices } from '../../src/open-services.ts';
import { type Config, readConfig } from '../../src/settings/config.ts';
import { placeEnvironment } from '../place-of-tests.ts';
import { PROGRAM } from '../program.ts';
import { publishBatches } from '../publish-batches.ts';
import { until } from '../until.ts';

const PROGRAM_WITH_LIMITS = join(import.meta.dirname, '../program-with-limits.ts');
const DATE = '2025-06-18';

/** A path below the prefix that reads the rows of `makeHome`. */
export const ROWS_PATH = '/v1/data/us-equity-ref/eq-trading-halts';

export interface Home {
  readonly path: string;
  remove(): void;
}

/**
 * A home with the demo account, whose trading halts have so many rows, each with a name of so many
 * characters. It is made in the temporary folder and then copied, because loading needs more free
 * space than the small disk of a test has.
 */
export async function makeHome(
  rowCount: number,
  nameCharacters: number,
  parent = tmpdir(),
): Promise<Home> {
  const made = mkdtempSync(join(tmpdir(), 'ticklake-operation-'));
  const services = await openServices(
    { ...readConfig(placeEnvironment()), home: made },
    systemClock,
  );
  const dataset = services.catalog.byTextId('eq_trading_halts');
  if (!dataset) throw new Error('the catalogue has no trading halts');
  const halted = BigInt(Date.parse(`${DATE}T14:00:00Z`)) * 1_000_000n;
  const name = 'n'.repeat(nameCharacters);
  const rows = Array.from({ length: rowCount }, (_, at): CellValue[] => [
    DATE,
    `T${at}`,
    at,
    BigInt(at),
    name,
    'NYSE',
    halted,
    'LUDP',
    (at * 7919) % rowCount,
    null,
    null,
  ]);
  async function* batches() {
    for (let at = 0; at < rowCount; at += 2000) {
      yield batchOfRows(dataset!.columns, rows.slice(at, at + 2000));
    }
  }
  await publishBatches(services.lake, {
    dataset,
    mode: 'replace',
    vendor: 'Test',
    batches: batches(),
  });
  await makeDemoAccount(services);
  await services.close();
  const path = join(parent, basename(made));
  if (path !== made) {
    cpSync(made, path, { recursive: true });
    rmSync(made, { recursive: true });
  }
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

export interface ServerProcess {
  readonly child: ChildProcess;
  readonly url: string;
  readonly operationUrl: string;
  /** Key of the demo account, which may read everything; throws in homes without it. */
  readonly key: string;
  stdout(): string;
  stderr(): string;
  /** Exit code and what the process said, once it has ended. */
  readonly ended: Promise<number | null>;
}

/** Settings by which a server has other constants than the product's. */
export function withLimits(limits: Partial<Config>): Record<string, string> {
  return { TEST_LIMITS: JSON.stringify(limits) };
}

/** `launcher` is a program, with its arguments, that becomes the server's process. */
export async function startServer(
  home: Home,
  settings: Record<string, string> = {},
  command: 'serve' | 'demo' = 'serve',
  launcher: readonly string[] = [],
): Promise<ServerProcess> {
  const program = settings.TEST_LIMITS === undefined ? PROGRAM : PROGRAM_WITH_LIMITS;
  const words = [...launcher, process.execPath, program, command];
  const child = spawn(words[0] as string, words.slice(1), {
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      TICKLAKE_HOME: home.path,
      ...placeEnvironment(),
      TICKLAKE_OPERATION_PORT: '0',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  let hasEnded = false;
  const ended = once(child, 'close').then(([code]) => {
    hasEnded = true;
    return code as number | null;
  });
  const urlOf = async (pattern: RegExp): Promise<string> => {
    await until(() => {
      // Between its exit and this, what it has written may still come.
      if (hasEnded) throw new Error(`the server ended: ${stderr}`);
      return pattern.test(stdout);
    });
    return pattern.exec(stdout)?.[1] as string;
  };
  const operationUrl = await urlOf(/Operation pages are on (http:\/\/[^/]+)\//);
  const url = await urlOf(/Ticklake is listening on (http:\S+)/);
  return {
    child,
    url,
    operationUrl,
    get key() {
      return readFileSync(demoKeyFile(home.path), 'utf8').trim();
    },
    stdout: () => stdout,
    stderr: () => stderr,
    ended,
  };
}
