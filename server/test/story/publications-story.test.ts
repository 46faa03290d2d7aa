/**
 * A week of a data owner and a customer, against a real server and real commands: two nightly
 * loads, a correction, a bad load rolled back and a day withdrawn. Meanwhile the customer keeps
 * walking the version where the walk began, and keeps receipts.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCommandNow } from '../command-line/run-command.ts';
import { type Service, startService } from '../nodes/start-service.ts';
import { type Home, makeHome } from '../operation/server-process.ts';

const MONDAY = '2025-06-16';
const TUESDAY = '2025-06-17';
const DATASET = 'US1032';
const FIRST_ROW = 'TradeDate,Ticker,EventDateTime,Price';

let home: Home;
let server: Service;
let folder: string;
let fileCount = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ticklake-publications-'));
  home = await makeHome(1, 5);
  server = await startService(home);
});
afterAll(async () => {
  await server.end('SIGTERM');
  home.remove();
  rmSync(folder, { recursive: true });
});

/** A file of ticks: a price for each second of the morning, the same for each ticker. */
function ticks(day: string, tickers: readonly string[], prices: readonly number[]): string {
  const lines = tickers.flatMap((ticker) =>
    prices.map((price, second) => {
      return `${day},${ticker},${day}T09:30:${String(second).padStart(2, '0')},${price}`;
    }),
  );
  const path = join(folder, `${fileCount++}.csv`);
  writeFileSync(path, `${[FIRST_ROW, ...lines].join('\n')}\n`);
  return path;
}

const counting = (start: number) => Array.from({ length: 40 }, (_, i) => start + i);

async function command(...words: string[]) {
  const { exitCode, stdout, stderr } = await runCommandNow(home.path, ...words);
  return { exitCode, text: stdout + stderr };
}

async function done(...words: string[]): Promise<string> {
  const { exitCode, text } = await command(...words);
  expect(exitCode, text).toBe(0);
  return text;
}

async function ask(path: string): Promise<Response> {
  return await fetch(new URL(path, server.url), { headers: { 'X-API-KEY': server.key } });
}

// biome-ignore lint/suspicious/noExplicitAny: bodies are whatever the test expects them to be
async function askJson(path: string): Promise<any> {
  const answer = await ask(path);
  expect(answer.status, path).toBe(200);
  return await answer.json();
}

interface Page {
  readonly body: Buffer;
  readonly prices: readonly number[];
  readonly version: string | null;
  readonly receipt: string;
  readonly next: string | null;
}

async function page(path: string): Promise<Page> {
  const answer = await ask(path);
  const body = Buffer.from(await answer.arrayBuffer());
  expect(answer.status, `${path}: ${body}`).toBe(200);
  // The first page alone has a line of names.
  const lines = body
    .toString()
    .split('\n')
    .filter((line) => /^[\d.]+$/.test(line));
  return {
    body,
    prices: lines.map(Number),
    version: answer.headers.get('x-dataset-version'),
    receipt: answer.headers.get('x-receipt') ?? '',
    next: /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1] ?? null,
  };
}

const pricesPath = (day: string, ticker: string) =>
  `/v1/data/us-equity/eq-taq/${day}/${ticker}?columns=Price&response_format=csv`;

async function pricesOf(day: string, ticker: string, more = ''): Promise<readonly number[]> {
  return (await page(`${pricesPath(day, ticker)}${more}`)).prices;
}

const versionNow = async () => (await page(pricesPath(TUESDAY, 'BBB'))).version;

it('is a week that nobody loses anything in', async () => {
  // Two nightly loads.
  await done('ingest', 'eq_taq', ticks(MONDAY, ['AAA', 'BBB'], counting(100)), '--vendor', 'Tape');
  await done('ingest', 'eq_taq', ticks(TUESDAY, ['AAA', 'BBB'], counting(200)));
  expect(await versionNow()).toBe('2');

  // The customer begins to walk, ten rows a page, and keeps the receipts.
  const walk = [await page(`${pricesPath(TUESDAY, 'AAA')}&limit=10&receipt=true`)];
  const goOn = async () => walk.push(await page(walk.at(-1)?.next as string));
  expect(walk[0]?.version).toBe('2');

  // A correction of one symbol: as it is, it would wipe the others, and is refused.
  const correction = ticks(TUESDAY, ['AAA'], counting(300));
  expect(await command('ingest', 'eq_taq', correction)).toMatchObject({
    exitCode: 2,
    text: expect.stringContaining('would lose 1 identifier, such as BBB'),
  });
  const rehearsal = ['ingest', 'eq_taq', correction, '--replace', 'identifiers', '--dry-run'];
  expect(await done(...rehearsal)).toContain('in place of 40 rows');
  expect(await versionNow()).toBe('2');
  const correcting = ['--replace', 'identifiers', '--reason', 'late prints'];
  await done('ingest', 'eq_taq', correction, ...correcting);
  expect(await pricesOf(TUESDAY, 'AAA')).toEqual(counting(300));
  expect(await pricesOf(TUESDAY, 'BBB')).toEqual(counting(200));
  await goOn();

  // A bad load, which somebody insists on, is rolled back at once.
  const bad = await done(
    ...['ingest', 'eq_taq', ticks(TUESDAY, ['AAA'], [0.01]), '--allow-loss', '--json'],
  );
  const { publication_id: badId } = JSON.parse(bad);
  expect(await pricesOf(TUESDAY, 'AAA')).toEqual([0.01]);
  await goOn();
  await done('publication', 'rollback', `${badId}`, '--reason', 'a feed that was cut off');
  expect(await pricesOf(TUESDAY, 'AAA')).toEqual(counting(300));
  expect(await pricesOf(TUESDAY, 'BBB')).toEqual(counting(200));

  // A day is withdrawn.
  const withdrawal = ['publication', 'withdraw', 'eq_taq', '--date', TUESDAY];
  await done(...withdrawal, '--reason', 'the vendor withdrew the day');
  expect(await pricesOf(TUESDAY, 'AAA')).toEqual([]);
  expect(await pricesOf(MONDAY, 'AAA')).toEqual(counting(100));

  // The customer's walk ends as it began, and each receipt holds.
  while (walk.at(-1)?.next) await goOn();
  expect(walk.flatMap(({ prices }) => prices)).toEqual(counting(200));
  expect(new Set(walk.map(({ version }) => version))).toEqual(new Set(['2']));
  for (const [number, { body, receipt }] of walk.entries()) {
    const [receiptFile, bodyFile] = ['receipt', 'body'].map((name) =>
      join(folder, `${name}-${number}`),
    ) as [string, string];
    writeFileSync(receiptFile, receipt);
    writeFileSync(bodyFile, body);
    const keys = ['--keys', `${server.url}/v1/receipts/keys`];
    expect(await done('receipt', 'verify', receiptFile, bodyFile, ...keys)).toContain(DATASET);
    writeFileSync(bodyFile, `${body}0\n`);
    expect((await command('receipt', 'verify', receiptFile, bodyFile, ...keys)).exitCode).toBe(2);
  }

  // Every version reads as it was, and says what it changed.
  const past = (version: number) => pricesOf(TUESDAY, 'AAA', `&dataset_version=${version}`);
  expect(await Promise.all([2, 3, 4, 5, 6].map(past))).toEqual([
    ...[counting(200), counting(300), [0.01], counting(300), []],
  ]);
  const { data: versions } = await askJson(`/v1/meta/datasets/${DATASET}/versions`);
  expect(versions.map((each: { kind: string }) => each.kind)).toEqual([
    ...['withdrawal', 'rollback', 'load', 'load', 'load', 'load'],
  ]);
  expect(versions[1].content_digest).toBe(versions[3].content_digest);
  const { data: changes } = await askJson(
    `/v1/meta/datasets/${DATASET}/changes?from=2&to=3&columns=Ticker,Price`,
  );
  expect(changes).toHaveLength(80);
  expect(changes[0]).toEqual({ Change: 'removed', Ticker: 'AAA', Price: 200 });

  // The ledger has it all, the refused load too, and the lake is sound.
  const { data: list } = JSON.parse(
    await done('publication', 'list', '--dataset', 'eq_taq', '--json'),
  );
  const states = list.map((each: { state: string }) => each.state);
  expect(states).toEqual([
    ...['published', 'published', 'rolled_back', 'published', 'refused', 'published', 'published'],
  ]);
  await done('lake', 'verify');
});
