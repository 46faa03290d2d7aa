/** The package as others install it. */
import { execFileSync, spawn } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CellValue } from '../../server/src/engine/columns.ts';
import { buildPackage } from '../build-package.ts';
import { type ServedRows, serveRows } from './served-rows.ts';

const folder = mkdtempSync(join(tmpdir(), 'ticklake-package-'));
const installed = join(folder, 'node_modules/@ticklake/client');
let served: ServedRows;

beforeAll(async () => {
  mkdirSync(installed, { recursive: true });
  buildPackage(installed);
  served = await serveRows(3);
});
afterAll(async () => {
  await served.service.close();
  rmSync(folder, { recursive: true });
});

it('reads rows in plain JavaScript', async () => {
  const program = `
    import { Ticklake } from '@ticklake/client';
    const ticklake = new Ticklake({ url: process.env.URL, key: process.env.KEY });
    const rows = await ticklake.ticks('AAA', '2025-06-18').toArray({ limit: 1 });
    console.log(rows[0].ASID === 1010000000000001n);`;
  writeFileSync(join(folder, 'program.mjs'), program);
  const { key } = served.service;
  const env = { ...process.env, URL: served.url, KEY: key };
  // The service runs in this process, which therefore must not stand still meanwhile.
  const child = spawn(process.execPath, [join(folder, 'program.mjs')], { env });
  expect(await text(child.stdout)).toBe('true\n');
});

it('runs the examples of its documentation as they stand there, but for what this service has', async () => {
  const columns = served.service.dataset('opt_tanq').columns;
  const tick: Readonly<Record<string, CellValue>> = {
    ...{ TradeDate: '2025-06-18', Ticker: 'AAA', CallPut: 'C', Strike: 95, Price: 1 },
    ...{ ExpirationDate: '2025-06-20', Action: 'FQ NB', Side: 'B', Quantity: 7n },
    EventDateTime: BigInt(Date.parse('2025-06-18T10:00:00-04:00')) * 1_000_000n,
  };
  await served.service.publish('opt_tanq', [columns.map(({ name }) => tick[name] ?? null)]);
  const examples = readFileSync(join(installed, 'README.md'), 'utf8').matchAll(/```ts\n(.*?)```/gs);
  const own: Readonly<Record<string, string>> = {
    ...{ 'http://127.0.0.1:8080': served.url, AVQX: 'AAA', BZOQ: 'BBB' },
    ...{ '2026-11-20': '2025-06-18', '2026-11-02': '2025-06-02', '2026-12-31': '2025-12-31' },
  };
  const program = [...examples].map(([, code]) => code).join('');
  const adapted = program.replaceAll(
    new RegExp(Object.keys(own).join('|'), 'g'),
    (word) => own[word] ?? '',
  );
  writeFileSync(join(folder, 'examples.mts'), adapted);
  const { key } = served.service;
  const env = { ...process.env, TICKLAKE_KEY: key, NO_COLOR: '1' };
  const child = spawn(process.execPath, [join(folder, 'examples.mts')], { env, cwd: folder });
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect(errors).toBe('');
  expect(output).toContain('AAA   250620C00095000 95 1');
  expect(globSync('data/*.parquet', { cwd: folder })).toHaveLength(1);
});

it('has declarations that a program without any types of Node compiles with', () => {
  const program = `
    import { type Row, RateLimitError, Ticklake } from '@ticklake/client';
    export async function read(): Promise<Row[]> {
      const query = new Ticklake({ url: 'http://x', key: 'k' }).dataset('eq_taq').read({ limit: 3 });
      // @ts-expect-error There has to be a limit.
      await query.toArray();
      const version: number | null = query.version;
      if (version === 1) throw RateLimitError;
      return query.toArray({ limit: 3 });
    }`;
  writeFileSync(join(folder, 'program.ts'), program);
  const require = createRequire(import.meta.url);
  const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');
  const options = '--noEmit --strict --module nodenext --lib esnext,dom --types'.split(' ');
  const words = [compiler, ...options, '', 'program.ts'];
  expect(() =>
    execFileSync(process.execPath, words, { cwd: folder, encoding: 'utf8' }),
  ).not.toThrow();
});

it('imports nothing, of Node least of all', () => {
  const texts = globSync(join(installed, '*.js')).map((path) => readFileSync(path, 'utf8'));
  const targets = texts.flatMap((text) =>
    [...text.matchAll(/^(?:import|export)[^`;]*?['"]([^'"]+)['"];$|\bimport\(['"]([^'"]+)/gm)].map(
      ([, named, dynamic]) => named ?? dynamic,
    ),
  );
  expect(targets.length).toBeGreaterThan(10);
  expect(targets.filter((target) => !target?.startsWith('./'))).toEqual([]);
});
