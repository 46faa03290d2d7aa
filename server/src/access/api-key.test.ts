import { expect, it } from 'vitest';
import { generateKey, KEY_CHARACTERS } from './api-key.ts';

it('a key never begins like an option of a command', () => {
  const draws = [0xfb, 0xf8, 0x07].map((byte) => Buffer.alloc(27, byte));
  expect(draws[0]?.toString('base64url')[0]).toBe('-');
  const key = generateKey(() => draws.shift() as Buffer);
  expect(key).toBe('Bwc'.padEnd(KEY_CHARACTERS, 'HBwc').slice(0, KEY_CHARACTERS));
  expect(draws).toEqual([]);
});
