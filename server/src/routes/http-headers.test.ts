import { expect, it } from 'vitest';
import { wantedDigest } from './http-headers.ts';

it.each([
  ['sha-256=1', 'sha-256'],
  ['sha-512=10', 'sha-512'],
  ['sha-256=3, sha-512=9', 'sha-512'],
  ['sha-512=3,\tsha-256=9', 'sha-256'],
  ['sha-512=5, sha-256=5', 'sha-256'],
  ['unixsum=10, sha-256=1', 'sha-256'],
  ['sha-256=0, sha-512=1', 'sha-512'],
  ['sha-256=9, sha-256=0', null],
  ['sha-256=0', null],
  ['md5=10', null],
  ['sha-256', null],
  ['sha-256=11', null],
  ['sha-256=-1', null],
  ['SHA-256=1', null],
  ['toString=1', null],
  ['', null],
  [',,,=;', null],
])('%j asks for %s', (header, algorithm) => {
  expect(wantedDigest(header)).toBe(algorithm);
});
