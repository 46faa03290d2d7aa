import { expect, it } from 'vitest';
import { BoundValues, LITERALS, nameSql, textSql } from './conditions.ts';

it('ends no literal within the text', () => {
  expect(textSql("it's \\' OR 1")).toBe("'it\\'s \\\\\\' OR 1'");
  expect(LITERALS.one('Int64', "1'); DROP")).toBe("CAST('1\\'); DROP', 'Int64')");
  expect(LITERALS.list('String', ["'", '\\'])).toBe("('\\'', '\\\\')");
});

it('takes nothing else for a name', () => {
  expect(nameSql('Ticker')).toBe('`Ticker`');
  for (const name of ['', 'a b', 'a`b', '1a', 'é']) expect(() => nameSql(name)).toThrow('no name');
});

it('binds values, and has them as literals once an address could not hold them', () => {
  const values = new BoundValues();
  expect(values.one('String', "'")).toBe('{v0:String}');
  expect(values.list('String', ['a', 'b'])).toBe('{v1:Array(String)}');
  expect(values.list('Int64', ['1', '2'])).toBe('{v2:Array(Int64)}');
  expect(values.params).toEqual({ v0: "'", v1: ['a', 'b'], v2: '[1,2]' });
  const long = 'x'.repeat(300_000);
  expect(values.one('String', long)).toBe(`'${long}'`);
});
