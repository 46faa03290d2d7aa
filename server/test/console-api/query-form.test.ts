/** Forms that request rows follow `/query`, which has to be sufficient and true. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DataType } from '../../src/catalog/dataset.ts';
import { openTestService, type TestService } from '../harness.ts';
import { writing } from '../writing.ts';

interface QueryForm {
  readonly dataset_id: string;
  readonly group: string;
  readonly segment: string;
  readonly path_parameters: readonly string[];
  readonly aliases: readonly string[];
  readonly parameters: readonly {
    name: string;
    values: string[];
    pattern: string | null;
    default: string;
  }[];
  readonly variants: readonly {
    dataset_id: string;
    dataset_name: string;
    parameters: Record<string, string>;
    is_entitled: boolean;
  }[];
  readonly required_filters: readonly (readonly string[])[];
  readonly required_filter_operators: readonly string[];
  readonly unfilterable_columns: readonly string[];
  readonly path_forms: readonly {
    identifier_column: string | null;
    unfilterable_columns: string[];
  }[];
  readonly default_period: string | null;
  readonly sessions: readonly object[];
  readonly half_days: readonly string[];
  readonly trading_calendar: {
    readonly start: string;
    readonly end: string;
    readonly irregular_days: readonly string[];
  };
  readonly sort_columns: readonly string[];
  readonly columns: readonly { name: string; data_type: DataType; operators: string[] }[];
  readonly limits: Record<string, { default: number; maximum: number }>;
  readonly is_entitled: boolean;
  readonly rules: readonly unknown[];
}

let service: TestService;
beforeAll(async () => {
  service = await openTestService({ vendorAggregationLogic: 'vendor_x' });
});
afterAll(() => service.close());

const datasetIds = () => service.services.catalog.datasets.map(({ datasetId }) => datasetId);

async function formOf(datasetId: string, key = service.key): Promise<QueryForm> {
  const answer = await service.get(`/v1/meta/datasets/${datasetId}/query`, { 'x-api-key': key });
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json();
}

const LITERALS: Readonly<Record<DataType, string>> = {
  string: 'AAA',
  integer: '7',
  number: '1.5',
  date: '2025-06-18',
  'date-time': '2025-06-18T10:00:00',
  'array of string': 'AAA',
  'array of integer': '7',
  'array of number': '1.5',
  decimal: '1.5',
  boolean: 'true',
};
const PATH_LITERALS: Readonly<Record<string, string>> = {
  trade_date: '2025-06-18',
  identifier: 'AAA',
};

function pathOf({ group, segment, path_parameters }: QueryForm, alias = segment): string {
  const values = path_parameters.map((name) => `/${PATH_LITERALS[name]}`);
  return `/v1/data/${group}/${alias}${values.join('')}`;
}

/** The parameters without which the request would be refused. */
function neededBy(form: QueryForm): [string, string][] {
  const [variant] = form.variants.filter(({ dataset_id }) => dataset_id === form.dataset_id);
  const filters = form.required_filters.map(([name = '']): [string, string] => {
    const column = form.columns.find((each) => each.name === name);
    return [name, LITERALS[column?.data_type ?? 'string']];
  });
  return [...Object.entries(variant?.parameters ?? {}), ...filters];
}

function ask(form: QueryForm, parameters: readonly [string, string][], path = pathOf(form)) {
  return service.get(`${path}?${new URLSearchParams([...neededBy(form), ...parameters])}`);
}

async function problemOf(...asked: Parameters<typeof ask>): Promise<string> {
  const answer = await ask(...asked);
  expect(answer.statusCode, answer.body).toBe(422);
  return answer.json().detail[0].type;
}

describe('the form of a dataset', () => {
  it('is enough to ask for every dataset, by each of its segments', async () => {
    for (const id of datasetIds()) {
      const form = await formOf(id);
      for (const segment of [form.segment, ...form.aliases]) {
        const answer = await ask(form, [], pathOf(form, segment));
        expect(answer.statusCode, `${id} at ${segment}: ${answer.body}`).toBe(200);
      }
    }
  });

  it('offers on each column the operators that are taken, and no others', async () => {
    const all = ['eq', 'gt', 'ge', 'lt', 'le', 'in', 'like', 'ilike'];
    for (const id of ['US1032', 'US1010', 'US1020', 'US2008', 'US6014']) {
      const form = await formOf(id);
      for (const { name, data_type, operators } of form.columns) {
        for (const operator of all) {
          const filter: [string, string] = [`${name}.${operator}`, LITERALS[data_type]];
          const [byText] = form.path_forms;
          const isGivenByPath = byText?.unfilterable_columns.includes(name);
          const isTaken = operators.includes(operator) && !isGivenByPath;
          const answer = await ask(form, [filter]);
          expect(answer.statusCode, `${id} ${filter}: ${answer.body}`).toBe(isTaken ? 200 : 422);
        }
      }
    }
  });

  it('names the columns that the path gives, by each column that its identifier may name', async () => {
    const form = await formOf('US1032');
    expect(form.unfilterable_columns).toEqual(['TradeDate']);
    expect(form.path_forms).toEqual([
      { identifier_column: 'Ticker', unfilterable_columns: ['TradeDate', 'Ticker'] },
      { identifier_column: 'ASID', unfilterable_columns: ['TradeDate', 'ASID'] },
    ]);
    const byAsid = pathOf(form).replace(/AAA$/, '7');
    const asked: [string, string[]][] = [
      [pathOf(form), ['TradeDate', 'Ticker']],
      [byAsid, ['TradeDate', 'ASID']],
    ];
    const values = { TradeDate: '2025-06-18', Ticker: 'AAA', ASID: '7' };
    for (const [path, refused] of asked) {
      for (const [name, value] of Object.entries(values)) {
        const answer = await ask(form, [[name, value]], path);
        expect(answer.statusCode, `${name} at ${path}`).toBe(refused.includes(name) ? 422 : 200);
        if (answer.statusCode === 422) expect(answer.json().detail[0].type).toBe('path_column');
      }
    }
  });

  it('names all that the path gives where its identifier names one column, or it has none', async () => {
    const minutes = await formOf('US6011');
    expect(minutes.unfilterable_columns).toEqual(['TradeDate', 'Ticker']);
    expect(minutes.path_forms).toEqual([
      { identifier_column: 'Ticker', unfilterable_columns: ['TradeDate', 'Ticker'] },
    ]);
    const daily = await formOf('US1020');
    expect(daily.unfilterable_columns).toEqual([]);
    expect(daily.path_forms).toEqual([{ identifier_column: null, unfilterable_columns: [] }]);
  });

  it('tells the hours of a trading day, and on which days they are others', async () => {
    const { sessions, half_days } = await formOf('US1014');
    expect(sessions).toContainEqual({
      ...{ name: 'regular', start: '09:30', end: '16:00' },
      ...{ half_day_start: '09:30', half_day_end: '13:00' },
    });
    expect(half_days.slice(-3)).toEqual(['2025-07-03', '2025-11-28', '2025-12-24']);
    expect(half_days).toContain('2007-07-03');
    const options = await formOf('US5003');
    expect(options.sessions).toEqual([
      {
        ...{ name: 'regular', start: '09:30', end: '16:15' },
        ...{ half_day_start: '09:30', half_day_end: '16:15' },
      },
    ]);
    expect(options.half_days).toEqual([]);
  });

  it('tells on which weekdays there is no trading, from the first day to the end of the year', async () => {
    const { start, end, irregular_days } = (await formOf('US1014')).trading_calendar;
    expect([start, end]).toEqual(['2007-01-01', '2025-12-31']);
    expect(irregular_days.slice(0, 3)).toEqual(['2007-01-01', '2007-01-02', '2007-01-15']);
    expect(irregular_days.slice(-2)).toEqual(['2025-11-27', '2025-12-25']);
  });

  it('tells the half days since the first rows of a dataset whose start is not stated', async () => {
    const { textId, datasetId, columns, startDate } = service.dataset('eq_otc_taq');
    const row = columns.map(({ name, dataType }) => {
      if (name === 'TradeDate') return '2024-06-03';
      return dataType === 'date-time' ? 1_717_430_400_000_000_000n : null;
    });
    await service.publish(textId, [row]);
    expect(startDate).toBeNull();
    expect((await formOf(datasetId)).half_days[0]).toBe('2024-07-03');
  });

  it('names the filters of which one is needed, and the operators that count', async () => {
    let neededCount = 0;
    for (const id of datasetIds()) {
      const form = await formOf(id);
      for (const names of form.required_filters) {
        neededCount++;
        const bare = { ...form, required_filters: [] };
        expect(await problemOf(bare, []), id).toBe('missing');
        for (const name of names) {
          const column = form.columns.find((each) => each.name === name);
          for (const operator of column?.operators ?? []) {
            const value = LITERALS[column?.data_type ?? 'string'];
            const answer = await ask(bare, [[`${name}.${operator}`, value]]);
            const isEnough = form.required_filter_operators.includes(operator);
            expect(answer.statusCode, `${id} ${name}.${operator}`).toBe(isEnough ? 200 : 422);
          }
        }
      }
    }
    expect(neededCount).toBeGreaterThan(3);
  });

  it('tells the variants apart by parameters that choose them', async () => {
    const form = await formOf('US1020');
    expect(form.variants).toHaveLength(4);
    expect(form.parameters).toEqual([
      { name: 'adjusted', values: ['true', 'false'], pattern: null, default: 'false' },
      {
        name: 'aggregation_logic',
        values: ['vendor_x', 'industry_std'],
        pattern: null,
        default: 'vendor_x',
      },
      { name: 'interval', values: ['1w', '1mo'], pattern: null, default: null },
      { name: 'period', values: [], pattern: '^[1-9][0-9]{0,3}(Y|W|D)$', default: '5Y' },
    ]);
    for (const id of datasetIds()) {
      const { variants, group, segment, path_parameters } = await formOf(id);
      for (const variant of variants) {
        const path = ['', group, segment, ...path_parameters.map((name) => PATH_LITERALS[name])];
        const query = new URLSearchParams({ ...variant.parameters, Ticker: 'AAA' });
        if (path_parameters.length > 0) query.delete('Ticker');
        const scan = await service.get(`/v1/data-scan${path.join('/')}?${query}`);
        // Datasets without Ticker have one variant, which the test above asks for.
        if (variants.length > 1) expect(scan.json().dataset_id).toBe(variant.dataset_id);
      }
      expect(variants.map(({ dataset_id }) => dataset_id)).toContain(id);
    }
  });

  it('has no parameters that the path does not take', async () => {
    for (const id of datasetIds()) {
      const form = await formOf(id);
      const taken = form.parameters.map(({ name }) => name);
      for (const [name, value] of [
        ['adjusted', 'false'],
        ['period', '3D'],
      ] as const) {
        const others = form.variants.flatMap(({ parameters }) => Object.keys(parameters));
        if (others.includes(name)) continue;
        const answer = await ask(form, [[name, value]]);
        expect(answer.statusCode, `${id} ${name}`).toBe(taken.includes(name) ? 200 : 422);
      }
    }
  });

  it('tells the limits of each format', async () => {
    const form = await formOf('US1020');
    expect(Object.keys(form.limits)).toEqual(['json', 'csv', 'csv_gzip', 'arrow', 'parquet']);
    for (const [format, { default: usual, maximum }] of Object.entries(form.limits)) {
      const withLimit = (limit: number) =>
        ask(form, [
          ['response_format', format],
          ['limit', `${limit}`],
        ]);
      expect((await withLimit(maximum)).statusCode).toBe(200);
      expect((await withLimit(maximum + 1)).statusCode).toBe(422);
      expect(usual).toBeLessThanOrEqual(maximum);
    }
  });

  it('has the natural order and the columns of the dataset', async () => {
    const form = await formOf('US1032');
    const dataset = service.dataset('eq_taq');
    expect(form.sort_columns).toEqual(dataset.naturalOrder);
    expect(form.columns.map(({ name }) => name)).toEqual(dataset.columns.map(({ name }) => name));
    expect(form).toMatchObject({
      dataset_id: 'US1032',
      group: 'us-equity',
      segment: 'eq-taq',
      aliases: ['taq'],
      path_parameters: ['trade_date', 'identifier'],
      identifier_columns: ['Ticker', 'ASID'],
      default_period: null,
      date_column: 'TradeDate',
      time_zone: 'America/New_York',
      filter_time_zone: 'America/New_York',
    });
  });

  it('says what the account may read, of this variant and of the others', async () => {
    const { accountId, key } = await service.addAccount('reader of one variant');
    const rule = { accountId, datasetId: 'US1022', startDate: '2024-01-01', endDate: null };
    await writing(service.services.store).rules.add({ ...rule, universe: ['AAA'] });
    const form = await formOf('US1020', key);
    expect([form.is_entitled, form.rules]).toEqual([false, []]);
    const entitled = form.variants.filter(({ is_entitled }) => is_entitled);
    expect(entitled.map(({ dataset_id }) => dataset_id)).toEqual(['US1022']);
    const other = await formOf('US1022', key);
    expect([other.is_entitled, other.rules]).toEqual([
      true,
      [{ start_date: '2024-01-01', end_date: null, universe_identifiers: ['AAA'] }],
    ]);
  });

  it('is answered to every key, tagged, and is a 404 for an id that there is not', async () => {
    const path = '/v1/meta/datasets/US1020/query';
    expect((await service.app.inject(path)).statusCode).toBe(401);
    expect((await service.get('/v1/meta/datasets/US9999/query')).statusCode).toBe(404);
    expect((await service.get('/v1/meta/datasets/eq_taq/query')).statusCode).toBe(404);
    expect((await service.get(`${path}?a=1`)).statusCode).toBe(422);
    const { headers } = await service.get(path);
    const held = await service.get(path, { 'if-none-match': String(headers.etag) });
    expect(held.statusCode).toBe(304);
  });
});
