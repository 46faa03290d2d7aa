// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are meant in the sources here
import { describe, expect, it } from 'vitest';
import { applied, mutationsOf } from './mutations.ts';

const mutantsOf = (source: string) => mutationsOf(source).map((m) => applied(source, m));

describe('mutationsOf', () => {
  it.each([
    ['a < b;', ['a <= b;']],
    ['(a) === (b);', ['(a) !== (b);']],
    ['a && b;', ['a;', 'b;']],
    ['if (a) b();', ['if (true) b();', 'if (false) b();', 'if (a) ;']],
    ['const x = a ? b : c;', ['const x = true ? b : c;', 'const x = false ? b : c;']],
    ['const x = [a, b];', ['const x = [b];', 'const x = [a];']],
    ['const x = 1;', ['const x = 2;']],
    ['const x = 9n;', ['const x = 10n;']],
    ["const x = 'a';", ["const x = '';"]],
    ['const x = `${a}|${b}`;', ['const x = `|${b}`;', 'const x = `${a}|`;']],
    ['const x = /^a$/u;', ['const x = /a/u;']],
    ['const x = a?.b;', ['const x = a.b;']],
    ['const x = !a;', ['const x = a;']],
    ['a.sort();', [';', 'a;']],
    ['const x = Math.min(a, b);', ['const x = Math.max(a, b);']],
    ['a += b;', [';', 'a -= b;']],
    ['i++;', ['i--;']],
  ])('of `%s` are its small faults', (source, expected) => {
    expect(mutantsOf(source).toSorted()).toEqual(expected.toSorted());
  });

  it.each([
    "import { a } from 'a';",
    "export * from 'a';",
    "type A = 'a' | 1;",
    "throw new Error('not reached: 1');",
    "this.#log.warn('a', 1);",
    'const x = a as 1;',
  ])('leaves `%s` as it is', (source) => {
    expect(mutantsOf(source).filter((text) => text !== ';')).toEqual([]);
  });
});
