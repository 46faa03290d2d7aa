import { describe, expect, it } from 'vitest';
import { generateKey } from '../access/api-key.ts';
import { shownPath, shownTarget, withoutKeys, withoutLongWords } from './shown.ts';

const key = generateKey();

describe('shownPath', () => {
  it.each([
    ['/v1/account/my', '/v1/account/my'],
    [
      '/v1/data/us-equity/eq-taq/2025-06-18/AAPL?limit=3',
      '/v1/data/us-equity/eq-taq/2025-06-18/AAPL',
    ],
    ['/v1/data/us-equity/eq-secid-chains-lookup', '/v1/data/us-equity/eq-secid-chains-lookup'],
    ['/v1/account/my#part', '/v1/account/my'],
    [`/v1/account/my?key=${key}`, '/v1/account/my'],
    [`/v1/${key}/my`, '/v1/*/my'],
    [`/v1/key=${key}`, '/v1/*'],
    [`/${key}`, '/*'],
    [`/v1/${key.slice(0, 25)}`, '/v1/*'],
    [`http://user:${key}@host/v1`, 'http://*/v1'],
    ['', ''],
  ])('of %s is %s', (url, shown) => {
    expect(shownPath(url)).toBe(shown);
  });

  it('shows no key whose characters are percent-encoded', () => {
    const encoded = [...key].map((char) => `%${char.charCodeAt(0).toString(16)}`).join('');
    expect(shownPath(`/v1/${encoded}`)).toBe('/v1/*');
  });
});

describe('withoutKeys', () => {
  it('leaves out what may be a key, and nothing else', () => {
    expect(withoutKeys(`Cannot read "${key}" at file:///lake/part-1.parquet:12`)).toBe(
      'Cannot read "*" at file:///lake/part-1.parquet:12',
    );
    const uuid = '12345678-1234-1234-1234-123456789abc';
    expect(withoutKeys(uuid)).toBe(uuid);
  });
});

describe('withoutLongWords', () => {
  it('leaves out a key that stands beside other characters of a word too', () => {
    expect(withoutLongWords(`x${key}_y and ${key.slice(1)}`)).toBe(`* and ${key.slice(1)}`);
  });
});

describe('shownTarget', () => {
  const encoded = [...key].map((char) => `%${char.charCodeAt(0).toString(16)}`).join('');
  it.each([
    ['/v1/data/us-equity/eq-taq?Ticker.in=A,B&limit=3', null],
    ['/v1/data/us-equity/eq-taq?Name=%22a%20b%22', null],
    ['/v1/account/my', null],
    ['', null],
    [`/v1/account/my?X-API-KEY=${key}`, '/v1/account/my?X-API-KEY=*'],
    [`/v1/account/my?a=${encoded}&b=${key}x`, '/v1/account/my?a=*&b=*'],
    [`/v1/${key}/my?`, '/v1/*/my?'],
    [`/v1/${encoded}`, '/v1/*'],
    ['/v1/session?new_p%61ssword=short&a=b', '/v1/session?new_password=*&a=b'],
    ['/v1/session?pw=short&PWD=x&passwd=y', '/v1/session?pw=*&PWD=*&passwd=*'],
    ['/v1/status?Authorization=Basic%20YTpi&a=b', '/v1/status?Authorization=*&a=b'],
    ['/v1/status?x-auth=1&credentials=2&Cookie=3', '/v1/status?x-auth=*&credentials=*&Cookie=*'],
    ['/v1/data/us-equity/eq-taq?Upward=1', null],
  ])('of %s shows no secret', (url, shown) => {
    expect(shownTarget(url)).toBe(shown ?? url);
  });

  // Hours for what takes more than a few steps for each character.
  it('comes to an end with a URL that was made to be hard to read', () => {
    for (const part of ['key', '&key', '%6b%65%79', 'a-', '?=']) {
      expect(shownTarget(`/${part.repeat(500_000)}`).startsWith('/')).toBe(true);
    }
  });
});
