import { describe, expect, it } from 'vitest';
import { DAILY, EMPTY_QUERY } from '../../test/fixtures/shapes';
import { requestOf, requestPath } from './explorer-request';
import { pinnedTo, VersionPin } from './pinned-version';

const REQUEST = requestOf({ ...EMPTY_QUERY, identifier: 'AAPL' }, DAILY);
const PINNED = requestOf({ ...EMPTY_QUERY, identifier: 'AAPL', version: '3' }, DAILY);

const pageOf = (version: string) => new Response('', { headers: { 'X-Dataset-Version': version } });
const versionIn = (path: string) => /dataset_version=(\d+)/.exec(path)?.[1] ?? null;

describe('VersionPin', () => {
  it('keeps all pages to the version of the first one', () => {
    const pin = new VersionPin();
    expect(pin.apply(REQUEST)).toBe(REQUEST);
    pin.note(pageOf('7'));
    pin.note(pageOf('8'));
    expect(versionIn(requestPath(pin.apply(REQUEST), { offset: 10 }))).toBe('7');
  });

  it('leaves a request alone that names a version', () => {
    const pin = new VersionPin();
    pin.note(pageOf('7'));
    expect(pin.apply(PINNED)).toBe(PINNED);
    expect(versionIn(requestPath(PINNED))).toBe('3');
  });

  it('asks for no version of what is not published yet', () => {
    const pin = new VersionPin();
    pin.note(pageOf('0'));
    pin.note(new Response(''));
    expect(pin.apply(REQUEST)).toBe(REQUEST);
  });
});

describe('pinnedTo', () => {
  it('asks for a version where one is known', () => {
    expect(versionIn(requestPath(pinnedTo(REQUEST, '12')))).toBe('12');
    expect(pinnedTo(REQUEST, null)).toBe(REQUEST);
  });
});
