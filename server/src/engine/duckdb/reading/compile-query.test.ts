import { describe, expect, it } from 'vitest';
import { planOfPath } from '../../../../test/plan-of-path.ts';
import type { Column } from '../../../catalog/dataset.ts';
import type { Part } from '../../part.ts';
import type { QueryPlan } from '../../query-plan.ts';
import {
  type CompiledQuery,
  compilePlace,
  compileSortedPage,
  compileSpill,
  compileStretch,
  findsEveryRow,
  type Stretch,
} from './compile-query.ts';
import type { FolderPlan } from './folder-plan.ts';

const PART: Part = {
  ...{ id: 1, key: '2026', location: 'a.parquet', digest: '' },
  ...{ rowCount: 1, byteCount: 1, rowGroups: [] },
};

const WHOLE: Stretch = { firstFile: 0, files: ['/lake/a.parquet'], startRow: 0, endRow: null };

function planOf(path: string, changes: Partial<QueryPlan> = {}): FolderPlan {
  return { ...planOfPath(path), root: '/lake', parts: [PART], ...changes };
}

/** The SQL on one line and its values as text. */
function shown({ sql, values }: CompiledQuery) {
  return { sql: sql.replaceAll('\n', ' '), values: values.map(String) };
}

/** The query for a first page of natural order. */
function compiled(path: string, changes: Partial<QueryPlan> = {}) {
  const plan = planOf(path, changes);
  return shown(compileStretch(plan, plan.columns, WHOLE, plan.limit + 1));
}

const TICKS = 'us-equity/eq-taq/2026-11-18/AAPL?columns=Price';
const FROM = 'FROM read_parquet($1, hive_partitioning = false)';
const PATH = '"TradeDate" = $2 AND "Ticker" = $3';
const PATH_VALUES = ['2026-11-18', 'AAPL'];

const PLACES = 'file_index, file_row_number';

describe('a compiled query', () => {
  it('needs no sort in natural order', () => {
    expect(compiled(`${TICKS}&limit=10`)).toEqual({
      sql: `SELECT "Price", ${PLACES} ${FROM} WHERE ${PATH} LIMIT $4`,
      values: ["['/lake/a.parquet']", ...PATH_VALUES, '11'],
    });
  });

  it('reads the rows of a stretch alone', () => {
    const stretch = { ...WHOLE, startRow: 500, endRow: 900 };
    const plan = planOf(TICKS);
    expect(shown(compileStretch(plan, plan.columns, stretch, 7))).toEqual({
      sql: `SELECT "Price", ${PLACES} ${FROM} WHERE ${PATH} AND file_row_number >= $4 AND file_row_number < $5 LIMIT $6`,
      values: ["['/lake/a.parquet']", ...PATH_VALUES, '500', '900', '7'],
    });
  });

  it('looks for the place of a row with the columns of the conditions alone', () => {
    const stretches = [
      { ...WHOLE, firstFile: 2, startRow: 500 },
      { ...WHOLE, firstFile: 3, files: ['/lake/b.parquet', '/lake/c.parquet'] },
    ];
    const { sql, values } = shown(compilePlace(planOf(TICKS), stretches, 40));
    expect(sql).toBe(
      'SELECT file, row FROM (SELECT file_index::BIGINT + $1 AS file, file_row_number AS row FROM read_parquet($2, hive_partitioning = false) WHERE "TradeDate" = $3 AND "Ticker" = $4 AND file_row_number >= $5 UNION ALL SELECT file_index::BIGINT + $6 AS file, file_row_number AS row FROM read_parquet($7, hive_partitioning = false) WHERE "TradeDate" = $8 AND "Ticker" = $9) LIMIT 1 OFFSET $10',
    );
    expect([values[0], values[4], values[5], values[9]]).toEqual(['2', '500', '3', '40']);
  });

  it('breaks the ties of a sort by the position in the files', () => {
    const plan = planOf(`${TICKS}&sort=-Price,Exchange&limit=10&offset=20`);
    const keys = 'ORDER BY "Price" DESC NULLS LAST, "Exchange" ASC NULLS LAST';
    const order = `${keys}, file_row_number`;
    expect(shown(compileSortedPage(plan))).toEqual({
      sql: `SELECT "Price" ${FROM} WHERE ${PATH} ${order} LIMIT $4 OFFSET $5`,
      values: ["['/lake/a.parquet']", ...PATH_VALUES, '11', '20'],
    });
    const spill = shown(compileSpill(plan, "/lake/it's.parquet"));
    expect(spill.sql).toContain(`COPY (SELECT "Price" ${FROM} WHERE ${PATH} ${order} ) TO`);
    expect(spill.sql).toContain("'/lake/it''s.parquet'");
    const more = { ...plan, parts: [PART, { ...PART, location: 'b.parquet' }] };
    expect(shown(compileSortedPage(more)).sql).toContain(`${keys}, ${PLACES} LIMIT`);
  });

  it('sorts and keeps no column of which a condition says the only value', () => {
    const path = 'us-equity/eq-taq/2026-11-18/AAPL?sort=-Price&columns=';
    const planFor = (query: string) => planOf(`${path}${query}`);
    const plan = planFor('Ticker,Price,TradeDate,Quantity,EventType&Quantity=100&EventType.in=A');
    const spill = shown(compileSpill(plan, '/lake/x.parquet'));
    expect(spill.sql).toContain('COPY (SELECT "Price", "EventType" FROM');
    const only = planFor('Ticker,TradeDate');
    expect(shown(compileSpill(only, '/lake/x.parquet')).sql).toContain('COPY (SELECT true AS row');
    const zeros = planFor('Price&Price=0');
    expect(shown(compileSpill(zeros, '/lake/x.parquet')).sql).toContain('COPY (SELECT "Price"');
  });

  it('halves a long list, also for the elements of an array', () => {
    const many = Array.from({ length: 65 }, (_, i) => 65 - i).join(',');
    const { sql, values } = compiled(`${TICKS}&Quantity.in=${many}`);
    expect(sql).toContain(
      'CASE WHEN "Quantity" < $4 THEN list_contains($5, "Quantity") ELSE list_contains($6, "Quantity") END',
    );
    expect(values[3]).toBe('33');
    const names = Array.from({ length: 65 }, (_, i) => `N${i}`).join(',');
    const path = `us-equity-ref/eq-sec-master?Ticker=A&Name.in=${names}&columns=SecId`;
    expect(compiled(path).sql).toContain('lambda element: CASE WHEN element < $3 THEN');
  });

  it('asks for no date that the partitions of all parts have anyway', () => {
    const conditionsOfParts = (keys: readonly string[], path = TICKS) => {
      const parts = keys.map((key) => ({ ...PART, key }));
      return /WHERE (.*) LIMIT/.exec(compiled(path, { parts }).sql)?.[1];
    };
    expect(conditionsOfParts(['2026-11-18'])).toBe('"Ticker" = $2');
    expect(conditionsOfParts(['2026-11-17', '2026-11-18'])).toBe(PATH);
    const dates = 'us-equity/eq-daily-ohlc?columns=ASID&TradeDate.ge=2024-01-01&TradeDate.le=';
    expect(conditionsOfParts(['2024', '2025'], `${dates}2025-12-31`)).toBeUndefined();
    expect(conditionsOfParts(['2024', '2025'], `${dates}2025-12-30`)).toBe('"TradeDate" <= $2');
    expect(conditionsOfParts(['2023', '2025'], `${dates}2025-12-31`)).toBe('"TradeDate" >= $2');
    const compared = [{ ...PART, key: '2026-11-17' }];
    const changed = { parts: [{ ...PART, key: '2026-11-18' }], comparedParts: compared };
    expect(compiled(TICKS, changed).sql).toContain(PATH);
  });

  it('knows that a plan without conditions finds every row', () => {
    expect(findsEveryRow(planOf(TICKS))).toBe(false);
    const grants = [{ window: null, universe: null }];
    expect(findsEveryRow(planOf(TICKS, { predicates: [], grants }))).toBe(true);
    expect(findsEveryRow(planOf(TICKS, { predicates: [], grants: [] }))).toBe(false);
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
    expect(sql).toBe(`SELECT "Price", ${PLACES} ${FROM} WHERE ${PATH} AND ${condition} LIMIT $5`);
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
    return [condition, ...values.slice(1, -1)];
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

  it('lets a row pass if one of several grants does', () => {
    const [condition] = granted([
      ['2020-01-01', '2020-12-31', ['AAA']],
      ['2022-01-01', '2022-12-31', null],
    ]);
    expect(condition).toBe(
      '(((list_contains($2, "Ticker") OR list_contains($3, "ASID")) AND ("TradeDate" IS NULL OR "TradeDate" BETWEEN $4 AND $5)) OR (("TradeDate" IS NULL OR "TradeDate" BETWEEN $6 AND $7)))',
    );
  });

  it('has no condition if one of the grants limits nothing', () => {
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
