import { expect, it } from 'vitest';
import { addressOf, addressText } from './address.ts';

const PLAIN = { authorityFile: null, certificateFile: null, keyFile: null };

it.each([
  ['postgres://me@db.example/lake', 'db.example', 5432, 'verify-full'],
  ['postgresql://me@db.example:6432/lake?sslmode=require', 'db.example', 6432, 'require'],
  ['postgres://me@[2001:db8::1]/lake', '2001:db8::1', 5432, 'verify-full'],
  ['postgres://me@127.0.0.1/lake', '127.0.0.1', 5432, 'disable'],
  ['postgres://me@[::1]/lake', '::1', 5432, 'disable'],
  ['postgres://me@/lake?host=/run/postgresql', '/run/postgresql', 5432, 'disable'],
])(
  '%s is an address, encrypted and verified where it leaves the machine',
  (text, host, port, tlsMode) => {
    const expected = { host, port, tlsMode, user: 'me', database: 'lake', ...PLAIN };
    expect(addressOf(text)).toEqual(expected);
  },
);

it.each([
  'postgres://me:secret@db.example/lake',
  'postgres://db.example/lake',
  'postgres://me@db.example',
  'postgres://me@/lake',
  'postgres://me@db.example/lake/more',
  'postgres://me@db.example/lake?sslmode=prefer',
  'postgres://me@db.example/lake?password=secret',
  'postgres://me@db.example/lake?host=relative',
  'postgres://me@db.example/%FF',
  'postgres://me@db.example/lake#more',
  'mysql://me@db.example/lake',
  'me@db.example/lake',
])('%s is none', (text) => {
  expect(addressOf(text)).toBeUndefined();
});

it('is told without its user', () => {
  const address = addressOf('postgres://me@[2001:db8::1]/lake');
  expect(address && addressText(address)).toBe('the database lake at [2001:db8::1]:5432');
});
