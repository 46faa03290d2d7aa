import { expect, it } from 'vitest';
import { objectUrl, type PresignedGet, presignedUrl } from './direct-files.ts';

/** Example from Amazon's "Authenticating Requests: Using Query Parameters (AWS Signature V4)". */
const EXAMPLE: PresignedGet = {
  url: 'https://examplebucket.s3.amazonaws.com/test.txt',
  region: 'us-east-1',
  credentials: {
    keyId: 'AKIAIOSFODNN7EXAMPLE',
    secret: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    sessionToken: null,
  },
  atMs: Date.UTC(2013, 4, 24),
  lifetimeSeconds: 86_400,
};

const parametersOf = (url: string) => Object.fromEntries(new URL(url).searchParams);

it('signs the published example as it is published', () => {
  expect(presignedUrl(EXAMPLE)).toBe(
    'https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256' +
      '&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request' +
      '&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host' +
      '&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  );
});

it('depends on the object, the time, the lifetime, the region, the secret and every parameter', () => {
  const { credentials } = EXAMPLE;
  const others: Partial<PresignedGet>[] = [
    { url: 'https://examplebucket.s3.amazonaws.com/test2.txt' },
    { url: 'https://otherbucket.s3.amazonaws.com/test.txt' },
    { atMs: EXAMPLE.atMs + 1000 },
    { lifetimeSeconds: 60 },
    { region: 'eu-central-1' },
    { credentials: { ...credentials, secret: 'another' } },
    { credentials: { ...credentials, sessionToken: 'token' } },
    { parameters: { 'response-content-type': 'text/plain' } },
  ];
  const signatures = [EXAMPLE, ...others.map((other) => ({ ...EXAMPLE, ...other }))].map(
    (get) => parametersOf(presignedUrl(get))['X-Amz-Signature'],
  );
  expect(new Set(signatures).size).toBe(others.length + 1);
});

it('carries the token of a session, and never the secret', () => {
  const sessionToken = 'FwoGZ/+= token';
  const url = presignedUrl({ ...EXAMPLE, credentials: { ...EXAMPLE.credentials, sessionToken } });
  expect(parametersOf(url)['X-Amz-Security-Token']).toBe(sessionToken);
  expect(decodeURIComponent(url)).not.toContain(EXAMPLE.credentials.secret);
});

it('encodes parameters as signatures need them, in order', () => {
  const name = 'attachment; filename="a (1)\'s*!.parquet"';
  const url = presignedUrl({ ...EXAMPLE, parameters: { 'response-content-disposition': name } });
  expect(url).toContain('%22a%20%281%29%27s%2A%21.parquet%22');
  expect(parametersOf(url)['response-content-disposition']).toBe(name);
  const names = [...new URL(url).searchParams.keys()].slice(0, -1);
  expect(names).toEqual(names.toSorted());
});

it('signs the port of a store that has one of its own', () => {
  const at = (url: string) => parametersOf(presignedUrl({ ...EXAMPLE, url }))['X-Amz-Signature'];
  expect(at('http://127.0.0.1:9000/b/k')).not.toBe(at('http://127.0.0.1:9001/b/k'));
});

it.each([
  [null, 'eu-central-1', 'lake', 'https://lake.s3.eu-central-1.amazonaws.com/p/a.parquet'],
  [null, 'eu-central-1', 'a.lake', 'https://s3.eu-central-1.amazonaws.com/a.lake/p/a.parquet'],
  [null, 'cn-north-1', 'lake', 'https://lake.s3.cn-north-1.amazonaws.com.cn/p/a.parquet'],
  ['http://store:9000', 'us-east-1', 'lake', 'http://store:9000/lake/p/a.parquet'],
])('at %s in %s, the bucket %s has its objects at %s', (endpoint, region, bucket, url) => {
  expect(objectUrl({ endpoint, region, bucket, key: 'p/a.parquet' })).toBe(url);
});
