import { describe, expect, it } from 'vitest';
import { isOnThisMachine, parseMailServer } from './settings.ts';

describe('the address of a mail server', () => {
  it.each([
    ['smtp://mail.example.com', 'mail.example.com', 587, false, null],
    ['smtps://mail.example.com', 'mail.example.com', 465, true, null],
    [
      'smtp://me%40example.com@mail.example.com:2525',
      'mail.example.com',
      2525,
      false,
      'me@example.com',
    ],
    ['smtp://[::1]:25/', '::1', 25, false, null],
  ])('is read from %s', (text, host, port, isSecure, user) => {
    expect(parseMailServer(text)).toEqual({ host, port, isSecure, user });
  });

  it.each([
    'mail.example.com',
    'http://mail.example.com',
    'smtp://',
    'smtp://me:secret@mail.example.com',
    'smtp://mail.example.com/path',
    'smtp://mail.example.com?secure=no',
  ])('is refused in %s', (text) => {
    expect(parseMailServer(text)).toBeUndefined();
  });

  it('tells whether anybody could listen on the way to it', () => {
    const hosts = ['localhost', '127.0.0.1', '[::1]', 'mail.example.com', '127.example.com'];
    expect(hosts.map((host) => isOnThisMachine(parseMailServer(`smtp://${host}`)!))).toEqual([
      ...[true, true, true, false, false],
    ]);
  });
});
