import { argon2Sync } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { generatePassword, Passwords } from './passwords.ts';

describe('a password', () => {
  it('is right for its own hash alone, in whichever form its letters were typed', async () => {
    const passwords = new Passwords();
    const hash = await passwords.hash('pässword of many letters');
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    expect(await passwords.isRight('pässword of many letters', hash)).toBe(true);
    expect(await passwords.isRight('pa\u0308ssword of many letters', hash)).toBe(true);
    expect(await passwords.isRight('pässword of many letterS', hash)).toBe(false);
    expect(await passwords.hash('pässword of many letters')).not.toBe(hash);
  });

  it('costs as much in every server', async () => {
    const source = globSync('server/src/**/*.ts', { exclude: ['**/*.test.ts'] });
    const making = source.flatMap(
      (path) => readFileSync(path, 'utf8').match(/new Passwords\(.*?\)/g) ?? [],
    );
    expect(making.length).toBeGreaterThan(1);
    expect(new Set(making)).toEqual(new Set(['new Passwords()']));
  });

  it('is never right for nobody', async () => {
    const passwords = new Passwords();
    expect(await passwords.isRight('', null)).toBe(false);
    expect(await passwords.isRight('anything', null)).toBe(false);
  });

  it('is still right where its hash was made with other parameters', async () => {
    const nonce = Buffer.alloc(16, 7);
    const tag = argon2Sync('argon2id', {
      message: 'of long ago',
      nonce,
      memory: 8192,
      passes: 3,
      parallelism: 2,
      tagLength: 24,
    });
    const [salt, text] = [nonce, tag].map((b) => b.toString('base64').replaceAll('=', ''));
    const hash = `$argon2id$v=19$m=8192,t=3,p=2$${salt}$${text}`;
    expect(await new Passwords().isRight('of long ago', hash)).toBe(true);
    expect(await new Passwords().isRight('of long Ago', hash)).toBe(false);
  });

  it('is not compared with what is no hash', async () => {
    await expect(new Passwords().isRight('x', 'none')).rejects.toThrow('not readable');
  });

  it('is refused at once when too many wait, and their turns come', async () => {
    const passwords = new Passwords({ memoryKibibytes: 8, passes: 1 });
    const settled = await Promise.allSettled(
      Array.from({ length: 70 }, () => passwords.isRight('anything', null)),
    );
    const refused = settled.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(70 - 66);
    expect(refused[0]).toMatchObject({ reason: { kind: 'unavailable' } });
    expect(await passwords.isRight('anything', null)).toBe(false);
  });

  it('that is generated is of its own and has nothing to take for something else', () => {
    const made = Array.from({ length: 1000 }, generatePassword);
    expect(new Set(made).size).toBe(1000);
    for (const password of made) expect(password).toMatch(/^[A-HJ-NP-Za-km-z2-9]{20}$/);
    expect(new Set(made.join('')).size).toBe(57);
  });
});
