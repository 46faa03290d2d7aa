import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../test/any-character.ts';
import { ApiError, type Problem } from '../base/errors.ts';
import { parseQueryString } from './query-string.ts';

function problemsOf(raw: string): readonly Problem[] {
  try {
    parseQueryString(raw);
  } catch (error) {
    if (error instanceof ApiError && error.kind === 'invalid' && typeof error.detail !== 'string')
      return error.detail;
    throw error;
  }
  return [];
}

describe('parseQueryString', () => {
  it.each([
    ['', []],
    ['a=1', [['a', '1']]],
    [
      'a=1&b=2&a=3',
      [
        ['a', '1'],
        ['b', '2'],
        ['a', '3'],
      ],
    ],
    ['a', [['a', '']]],
    ['a=', [['a', '']]],
    ['a=b=c', [['a', 'b=c']]],
    [
      '&a=1&&b=2&',
      [
        ['a', '1'],
        ['b', '2'],
      ],
    ],
    ['a=x+y%2Bz', [['a', 'x y+z']]],
    ['sort=+A,-B', [['sort', ' A,-B']]],
    ['n%C3%A9e=%E2%82%AC%F0%9F%98%80', [['née', '€😀']]],
    ['a=%26%3D%25', [['a', '&=%']]],
    ['a=%EF%BB%BFx', [['a', '\uFEFFx']]],
    [
      '__proto__=1&constructor=2',
      [
        ['__proto__', '1'],
        ['constructor', '2'],
      ],
    ],
    [`a='"<>;\\|{}[]`, [['a', `'"<>;\\|{}[]`]]],
  ])('reads %j', (raw, expected) => {
    expect(parseQueryString(raw).map(({ name, value }) => [name, value])).toEqual(expected);
  });

  it.each([
    ['a=%', 'percent_encoding', 'a', '%'],
    ['a=%4', 'percent_encoding', 'a', '%4'],
    ['a=%zz', 'percent_encoding', 'a', '%zz'],
    ['a=%ff', 'percent_encoding', 'a', '%ff'],
    ['a=%C3', 'percent_encoding', 'a', '%C3'],
    ['a=%C0%80', 'percent_encoding', 'a', '%C0%80'],
    ['a=%ED%A0%80', 'percent_encoding', 'a', '%ED%A0%80'],
    ['a=%F4%90%80%80', 'percent_encoding', 'a', '%F4%90%80%80'],
    ['a=é', 'percent_encoding', 'a', 'é'],
    ['a=%00', 'control_character', 'a', '%00'],
    ['a=x%0Ay', 'control_character', 'a', 'x%0Ay'],
    ['a=\t', 'control_character', 'a', '\t'],
    ['a=%7F', 'control_character', 'a', '%7F'],
    ['a=%C2%85', 'control_character', 'a', '%C2%85'],
    ['%ff=1', 'percent_encoding', '%ff', '%ff'],
    ['%00=1', 'control_character', '%00', '%00'],
    ['=1', 'missing_name', '', '=1'],
  ])('refuses %j', (raw, type, name, input) => {
    const [problem, ...others] = problemsOf(raw);
    expect(others).toEqual([]);
    expect(problem).toEqual({
      type,
      loc: ['query', name],
      msg: expect.any(String),
      input,
      ctx: {},
    });
  });

  it('lists every broken parameter of one query string', () => {
    expect(problemsOf('a=%ff&ok=1&b=%00&=2').map(({ loc }) => loc[1])).toEqual(['a', 'b', '']);
  });

  it('reads back whatever a client encodes', () => {
    const text = fc
      .string({ unit: anyCharacter })
      .filter((value) => !/\p{Cc}/u.test(value) && value.isWellFormed());
    const parameter = fc.record({ name: text.filter((name) => name !== ''), value: text });
    fc.assert(
      fc.property(fc.array(parameter), fc.boolean(), (parameters, isForm) => {
        const encode = (part: string) =>
          isForm ? encodeURIComponent(part).replaceAll('%20', '+') : encodeURIComponent(part);
        const raw = parameters.map(({ name, value }) => `${encode(name)}=${encode(value)}`);
        expect(parseQueryString(raw.join('&'))).toEqual(parameters);
      }),
    );
  });
});
