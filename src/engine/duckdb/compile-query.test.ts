import { describe, expect, it } from 'vitest';
import { planOfPath } from '../../../test/plan-of-path.ts';
import type { Column } from '../../catalog/dataset.ts';
import type { QueryPlan } from '../../plan/query-plan.ts';
import { compileQuery } from './compile-query.ts';

const FILE = { key: '2026', file: '/lake/a.parquet', rowCount: 1, byteCount: 1, rowGroups: [] };

/** The SQL of a request against one file, on one line, and its values as text. */
function compiled(path: string, changes: Partial<QueryPlan> = {}) {
  const plan = { ...planOfPath(path), partitions: [FILE], ...changes };
  const { sql, values } = compileQuery(plan);
  return { sql: sql.replaceAll('\n', ' '), values: values.map(String) };
}

const TICKS = 'us-equity/eq-taq/2026-11-18/AAPL?columns=Price';
const FROM = 'FROM read_parquet($1, hive_partitioning = false)';
const PATH = '"TradeDate" = $2 AND "Ticker" = $3';
const PATH_VALUES = ['2026-11-18', 'AAPL'];

describe('compileQuery', () => {
  it('needs no sort in natural order and asks for one row more than the page', () => {
    expect(compiled(`${TICKS}&limit=10&offset=20`)).toEqual({
      sql: `SELECT "Price" ${FROM} WHERE ${PATH} LIMIT $4 OFFSET $5`,
      values: ["['/lake/a.parquet']", ...PATH_VALUES, '11', '20'],
    });
  });

  it('breaks the ties of a sort by the position in the files', () => {
    expect(compiled(`${TICKS}&sort=-Price,Exchange`).sql).toBe(
      `SELECT "Price" ${FROM} WHERE ${PATH} ORDER BY "Price" DESC NULLS LAST, "Exchange" ASC NULLS LAST, file_index, file_row_number LIMIT $4 OFFSET $5`,
    );
  });

  it.each([
    ['Price.ge=1.5', '"Price" >= $4', '1.5'],
    ['Quantity.in=1,2', 'list_contains($4, "Quantity")', '[1, 2]'],
    ['Exchange=O\'Hare"; --', '"Exchange" = $4', 'O\'Hare"; --'],
    [
      'Exchange.like=5.0%25_**(%C3%A9',
      'regexp_full_match("Exchange", $4, \'s\')',
      '5\\.0\\%\\_.*\\(é',
    ],
    ['Exchange.ilike=\\*', 'regexp_full_match("Exchange", $4, \'si\')', '\\\\.*'],
  ])('binds the value of %s and never writes it into the text', (filter, condition, value) => {
    const { sql, values } = compiled(`${TICKS}&${filter}`);
    expect(sql).toBe(`SELECT "Price" ${FROM} WHERE ${PATH} AND ${condition} LIMIT $5 OFFSET $6`);
    expect(values[3]).toBe(value);
  });

  it('asks whether any element of an array matches', () => {
    const { sql } = compiled('us-equity-ref/eq-sec-master?Ticker=A&Name.like=B*&columns=SecId');
    expect(sql).toContain('len(list_filter("Ticker", lambda element: element = $2)) > 0');
    expect(sql).toContain(
      'len(list_filter("Name", lambda element: regexp_full_match(element, $3, \'s\'))) > 0',
    );
  });

  const HALTS = 'us-equity-ref/eq-trading-halts?columns=Ticker&TradeDate=2026-11-18';

  /** The condition that grants come to, and its values. */
  function granted(
    grants: readonly (readonly [string, string, string[] | null])[],
    passesUndated = true,
  ) {
    const { columnByName } = planOfPath(HALTS).dataset;
    const column = (name: string) => columnByName.get(name) as Column;
    const { sql, values } = compiled(HALTS, {
      predicates: [],
      grants: grants.map(([start, end, universe]) => ({
        window: start === '' ? null : { column: column('TradeDate'), start, end, passesUndated },
        universe: universe && [
          { column: column('Ticker'), operator: 'in', values: universe },
          { column: column('ASID'), operator: 'in', values: [17n] },
        ],
      })),
    });
    const [, condition = ''] = /WHERE (.*) LIMIT/.exec(sql) ?? [];
    return [condition, ...values.slice(1, -2)];
  }

  it('lets only the universe and the window pass, and rows without a date', () => {
    expect(granted([['2020-01-01', '2020-12-31', ['AAA', 'BBB']]])).toEqual([
      '(list_contains($2, "Ticker") OR list_contains($3, "ASID")) AND ("TradeDate" IS NULL OR "TradeDate" BETWEEN $4 AND $5)',
      "['AAA', 'BBB']",
      '[17]',
      '2020-01-01',
      '2020-12-31',
    ]);
  });

  it('keeps rows without a date from a window of the past', () => {
    expect(granted([['2020-01-01', '2020-12-31', null]], false)).toEqual([
      '"TradeDate" BETWEEN $2 AND $3',
      '2020-01-01',
      '2020-12-31',
    ]);
  });

  it('lets pass what one of several grants lets pass', () => {
    const [condition] = granted([
      ['2020-01-01', '2020-12-31', ['AAA']],
      ['2022-01-01', '2022-12-31', null],
    ]);
    expect(condition).toBe(
      '(((list_contains($2, "Ticker") OR list_contains($3, "ASID")) AND ("TradeDate" IS NULL OR "TradeDate" BETWEEN $4 AND $5)) OR (("TradeDate" IS NULL OR "TradeDate" BETWEEN $6 AND $7)))',
    );
  });

  it('has nothing to say where one of the grants limits nothing', () => {
    expect(granted([['', '', null]])).toEqual(['']);
    expect(
      granted([
        ['', '', ['AAA']],
        ['', '', null],
      ]),
    ).toEqual(['']);
  });

  it('lets nothing pass without a grant, or one of no identifier', () => {
    expect(granted([])).toEqual(['false']);
    expect(compiled(HALTS, { grants: [{ window: null, universe: [] }] }).sql).toContain(
      'AND false LIMIT',
    );
  });
});
