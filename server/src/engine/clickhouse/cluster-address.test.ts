import { expect, it } from 'vitest';
import { readClusterAddress } from './cluster-address.ts';

it('has replicas between commas and shards between semicolons', () => {
  expect(readClusterAddress('clickhouse://a1:9000,a2;b1,[fe80::1]:80/lake')).toEqual({
    shards: [
      ['https://a1:9000', 'https://a2:8443'],
      ['https://b1:8443', 'https://[fe80::1]:80'],
    ],
    database: 'lake',
  });
});

it('speaks without encryption on one machine alone, unless it is told to', () => {
  const urlOf = (text: string) => readClusterAddress(text)?.shards[0]?.[0];
  expect(urlOf('clickhouse://localhost/lake')).toBe('http://localhost:8123');
  expect(urlOf('clickhouse://[::1]:81/lake')).toBe('http://[::1]:81');
  expect(urlOf('clickhouse://127.0.0.1,a1/lake')).toBe('https://127.0.0.1:8443');
  expect(urlOf('clickhouse://127.0.0.1/lake?tls=on')).toBe('https://127.0.0.1:8443');
  expect(urlOf('clickhouse://a1/lake?tls=off')).toBe('http://a1:8123');
});

it.each([
  'clickhouse://a1',
  'clickhouse:///lake',
  'clickhouse://a1/la-ke',
  'clickhouse://a1/lake/more',
  'clickhouse://user:password@a1/lake',
  'clickhouse://a1,,a2/lake',
  'clickhouse://a1;/lake',
  'clickhouse://a1:99999/lake',
  'clickhouse://a1,a1:8443/lake',
  'clickhouse://a1;a1/lake',
  'clickhouse://a1/lake?tls=maybe',
  'http://a1/lake',
])('refuses %s', (text) => {
  expect(readClusterAddress(text)).toBeUndefined();
});
