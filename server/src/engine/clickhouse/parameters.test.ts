import { expect, it } from 'vitest';
import { knowsParameters, parameterized } from './parameters.ts';
import { numberSql, textSql } from './sql-values.ts';

it('takes every text out of a statement, equal ones once, as the digits of its bytes', () => {
  const sql = `a = ${textSql("A'é")} AND b IN (${textSql('')}, ${textSql("A'é")}) AND c = ${numberSql(1)}`;
  expect(parameterized(sql)).toEqual({
    query:
      "a = unhex({text0:String}) AND b IN ('', unhex({text0:String})) " +
      'AND c = reinterpretAsFloat64(unhex({text1:String}))',
    query_params: { text0: '4127c3a9', text1: '000000000000f03f' },
  });
});

it('leaves long lists in the statement', () => {
  const list = Array.from({ length: 500 }, (_, i) => textSql(`T${i}`)).join();
  for (const sql of [list, textSql('x'.repeat(20_000))]) {
    expect(parameterized(sql)).toEqual({ query: sql, query_params: {} });
  }
});

it('knows which servers take parameters', () => {
  expect(['18.16.1', '19.17.2', '20.3.8', '26.9.2.1'].map(knowsParameters)).toEqual([
    ...[false, false, true, true],
  ]);
});
