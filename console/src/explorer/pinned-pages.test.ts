import { afterEach, describe, expect, it, vi } from 'vitest';
import { DAILY, EMPTY_QUERY } from '../../test/fixtures/shapes';
import { type ExplorerRequest, requestOf, requestPath } from './explorer-request';
import { PinnedPages, pinnedTo } from './pinned-pages';

const REQUEST = requestOf({ ...EMPTY_QUERY, identifier: 'AAPL' }, DAILY);
const PINNED = requestOf({ ...EMPTY_QUERY, identifier: 'AAPL', version: '3' }, DAILY);

const versionIn = (path: string) => /dataset_version=(\d+)/.exec(path)?.[1] ?? null;

afterEach(() => vi.unstubAllGlobals());

/** The versions that pages are asked for, of answers with these versions. */
async function versionsAsked(request: ExplorerRequest, answered: readonly (string | null)[]) {
  const asked: (string | null)[] = [];
  vi.stubGlobal('fetch', async (path: string) => {
    const version = answered[asked.length] ?? null;
    asked.push(versionIn(path));
    return new Response('', version === null ? {} : { headers: { 'X-Dataset-Version': version } });
  });
  const pages = new PinnedPages();
  for (let offset = 0; offset < answered.length; offset++) {
    const page = { response_format: 'csv', offset, limit: 1 } as const;
    await pages.read(request, page, new AbortController().signal);
  }
  return asked;
}

describe('PinnedPages', () => {
  it('keeps all pages to the version of the first one', async () => {
    expect(await versionsAsked(REQUEST, ['7', '8', '8'])).toEqual([null, '7', '7']);
  });

  it('leaves a request alone that names a version', async () => {
    expect(await versionsAsked(PINNED, ['7', '7'])).toEqual(['3', '3']);
  });

  it('asks for no version of what is not published yet', async () => {
    expect(await versionsAsked(REQUEST, ['0', null, '0'])).toEqual([null, null, null]);
  });
});

describe('pinnedTo', () => {
  it('asks for a version where one is known', () => {
    expect(versionIn(requestPath(pinnedTo(REQUEST, '12')))).toBe('12');
    expect(pinnedTo(REQUEST, null)).toBe(REQUEST);
  });
});
