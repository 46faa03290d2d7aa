import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { DAILY, EMPTY_QUERY } from '../../test/fixtures/shapes';
import { requestOf } from './explorer-request';
import {
  downloads,
  endDownload,
  isTrayFull,
  resumeDownload,
  startDownload,
} from './running-download';

const request = requestOf({ ...EMPTY_QUERY, identifier: 'AVQX' }, DAILY);
const order = { request, format: 'csv', pageRows: 10, rowCountMax: 1, isLarge: true } as const;
const start = (name: string) => startDownload({ ...order, name });
const phases = () => downloads.state().map(({ phase }) => phase);
const settled = (expected: readonly string[]) => expect.poll(phases).toEqual(expected);

function answer(): Response {
  return new Response('"N"\n1\n', { headers: { 'X-Pagination-Next-Offset': '' } });
}

function refusal(): Response {
  return new Response('{"detail":"Too many requests"}', { status: 429 });
}

/** Requests that wait for their answers. */
let asked: ((response: Response) => void)[] = [];
let onClose = () => {};

beforeEach(() => {
  asked = [];
  onClose = () => {};
  vi.stubGlobal('fetch', () => new Promise<Response>((resolve) => asked.push(resolve)));
  const file = {
    write: async () => undefined,
    close: async () => onClose(),
    abort: async () => undefined,
  };
  const showSaveFilePicker = async () => ({ createWritable: async () => file });
  vi.stubGlobal('window', { showSaveFilePicker });
});

afterEach(() => {
  endDownload();
  vi.unstubAllGlobals();
});

it('tells of no end of a download that was cancelled while its file was finished', async () => {
  onClose = () => endDownload();
  await start('a.csv');
  asked[0]!(answer());
  await settled([]);
});

it('runs two downloads at a time, and the next one when one has ended', async () => {
  for (const name of ['a.csv', 'b.csv', 'c.csv', 'd.csv']) await start(name);
  expect(phases()).toEqual(['running', 'running', 'waiting', 'waiting']);
  asked[0]!(answer());
  await settled(['done', 'running', 'running', 'waiting']);
  endDownload(downloads.state()[1]!.id);
  expect(phases()).toEqual(['done', 'running', 'running']);
});

it('sends nothing more after a limit was met, until the person goes on', async () => {
  for (const name of ['a.csv', 'b.csv', 'c.csv']) await start(name);
  asked[0]!(refusal());
  await settled(['failed', 'running', 'waiting']);
  asked[1]!(answer());
  await settled(['failed', 'done', 'waiting']);
  expect(asked).toHaveLength(2);
  resumeDownload(downloads.state()[0]!.id);
  expect(phases()).toEqual(['running', 'done', 'running']);
});

it('goes on with each download that the limit stopped', async () => {
  for (const name of ['a.csv', 'b.csv', 'c.csv']) await start(name);
  asked[0]!(refusal());
  asked[1]!(refusal());
  await settled(['failed', 'failed', 'waiting']);
  resumeDownload(downloads.state()[1]!.id);
  expect(phases()).toEqual(['running', 'running', 'waiting']);
});

it('takes ten that have not ended, and lets go of those that have', async () => {
  for (let count = 0; count < 10; count++) await start(`${count}.csv`);
  expect(isTrayFull(downloads.state())).toBe(true);
  asked[0]!(answer());
  await expect.poll(() => isTrayFull(downloads.state())).toBe(false);
  await start('next.csv');
  expect(phases()).not.toContain('done');
});
