import fc from 'fast-check';
import { expect, it } from 'vitest';
import { integerSql, nameSql, numberSql, textSql } from './sql-values.ts';

/** Without halves of surrogate pairs, which no text in UTF-8 has. */
const unit = fc
  .integer({ min: 0, max: 0x10ffff })
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code));

it('writes any text as nothing but the digits of its bytes', () => {
  fc.assert(
    fc.property(fc.string({ unit }), (text) => {
      const sql = textSql(text);
      expect(sql).toMatch(/^'(\\x[0-9a-f]{2})*'$/);
      const hex = sql.replaceAll(/[^0-9a-f]|\\x/g, '');
      expect(Buffer.from(hex, 'hex').equals(Buffer.from(text))).toBe(true);
    }),
  );
});

it('writes any number by its bits, and integers as digits', () => {
  fc.assert(
    fc.property(
      fc.double(),
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      (number, integer) => {
        expect(numberSql(number)).toMatch(/^reinterpretAsFloat64\('(\\x[0-9a-f]{2}){8}'\)$/);
        expect(integerSql(integer)).toMatch(/^-?\d+$/);
        expect(BigInt(integerSql(integer))).toBe(integer);
      },
    ),
  );
});

it('takes no name that could end itself', () => {
  expect(nameSql('TradeDate')).toBe('`TradeDate`');
  for (const name of ['', 'a`b', 'a b', 'a\\', '1a', 'é']) expect(() => nameSql(name)).toThrow();
});
