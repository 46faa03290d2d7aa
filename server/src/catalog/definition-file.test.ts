import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { definitionFields } from '../../test/definition-fields.ts';
import type { TimeZone } from '../time/time-zone.ts';
import { typeText } from './column-types.ts';
import { readDefinition } from './definition-file.ts';

type Raw = Record<string, unknown>;

function tickDefinition(): Raw {
  return {
    id: 'US9001',
    text_id: 'crypto_trades',
    name: 'Crypto Trades',
    description: 'Trades of coins.',
    data_group: 'Crypto',
    dataset_class: 'Crypto',
    dataset_format: 'Market Data',
    time_granularity: 'Tick',
    universe_identifier: 'symbol',
    start_date: '2020-02-29',
    end_date: '2024-02-29',
    creation_date: '2026-01-05',
    is_time_series: true,
    group: 'crypto',
    segment: 'crypto-trades',
    path: 'tick',
    variant: { adjusted: false, aggregation_logic: 'vendor_default' },
    natural_order: ['TradeDate', 'Ticker', 'EventDateTime'],
    partition: { unit: 'day', column: 'TradeDate' },
    also_stored_by: 'Ticker',
    identifier: ['Ticker', 'CoinId'],
    date_column: 'TradeDate',
    universe: ['Ticker', 'CoinId', 'Aliases'],
    root_column: 'Ticker',
    time_zone: 'Asia/Tokyo',
    calendar: 'every_day',
    sessions: [
      { name: 'overnight', start: '18:00', end: '06:00', evening_date: 'same' },
      { name: 'regular', start: '06:00', end: '12:00', half_day_end: '11:00' },
    ],
    schedule: { days: 'trading', time: '23:59', late_at: '11:00 next day' },
    expect: [{ date_in_name: true, usual_percent_min: 70, identifiers: ['7'] }],
    other_columns: 'warn',
    checks: [
      {
        keys: ['TradeDate', 'CoinId', 'EventDateTime'],
        required: ['Ticker', 'Aliases'],
        range: ['Price'],
        min: 0,
        relations: ['CoinId<=LotId', 'Ticker != Base'],
        session: ['EventDateTime'],
        begins: '17:30',
        trading_days: ['TradeDate'],
        latest: ['TradeDate'],
      },
      { on_failure: 'warn', range: ['TradeDate'], min: '2020-02-29', max: '2024-02-29' },
      { on_failure: 'warn', latest: ['TradeDate'], days_ahead: 3 },
    ],
    derived_from: {
      computation: 'adjusted_rows',
      inputs: ['crypto_trades_raw', 'crypto_factors'],
      otherwise: { computation: 'bars_by_date', inputs: ['crypto_bars'] },
    },
    intervals: {
      time: 'EventDateTime',
      by: ['Ticker', 'CoinId'],
      high: ['Price'],
      sum: ['LotId'],
    },
    columns: [
      { name: 'TradeDate', type: 'date', description: 'Day.' },
      { name: 'EventDateTime', type: 'date-time', description: 'Moment.', fraction_digits: 9 },
      { name: 'Ticker', type: 'string', description: 'Symbol.' },
      { name: 'CoinId', type: 'integer', description: 'Number.' },
      { name: 'Price', type: 'number', description: 'Dollars.' },
      { name: 'Aliases', type: 'array of string', description: 'Other symbols.' },
      { name: 'LotId', type: 'integer', description: 'Number of the lot.' },
      { name: 'Base', type: 'string', description: 'What the coin is paid in.' },
    ],
  };
}

function queryDefinition(): Raw {
  const { identifier: _, ...rest } = tickDefinition();
  return { ...rest, path: 'query', required_filters: ['Ticker', 'CoinId'], default_period: '5Y' };
}

function read(text: string, filterTimeZone: TimeZone | null = null) {
  const faults: string[] = [];
  const file = readDefinition({ file: 'x.yaml', text }, faults, filterTimeZone);
  return { dataset: file?.dataset ?? null, faults };
}

/** The definition with the value at a path such as `columns.2.name` changed, or removed. */
function changed(definition: Raw, path: string, value: unknown): Raw {
  const copy = structuredClone(definition);
  const steps = path.split('.');
  const last = steps.pop() as string;
  const parent = steps.reduce((at, step) => at[step] as Raw, copy);
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return copy;
}

const shapeOf = { tick: tickDefinition, query: queryDefinition };

test('a decimal column has its digits, whose kinds are told by its type', () => {
  const fee = { name: 'Fee', type: 'decimal', precision: 18, scale: 4, description: 'Dollars.' };
  const { columns } = tickDefinition() as { columns: unknown[] };
  const { dataset, faults } = read(stringify({ ...tickDefinition(), columns: [...columns, fee] }));
  expect(faults).toEqual([]);
  const last = dataset?.columns.at(-1);
  expect(last).toMatchObject({ dataType: 'decimal', precision: 18, scale: 4 });
  expect(last && typeText(last)).toBe('decimal(18, 4)');
});

test('a definition with every field gives the dataset with every value', () => {
  const { dataset, faults } = read(stringify(tickDefinition()));
  expect(faults).toEqual([]);
  expect(dataset).toMatchObject({
    datasetId: 'US9001',
    shortSegment: 'crypto-trades',
    startDate: '2020-02-29',
    endDate: '2024-02-29',
    variant: { adjusted: false, aggregationLogic: 'vendor_default' },
    partitioning: { unit: 'day', column: 'TradeDate' },
    alsoStoredBy: 'Ticker',
    identifierColumns: ['Ticker', 'CoinId'],
    requiredFilters: [],
    universeColumns: ['Ticker', 'CoinId', 'Aliases'],
    rootColumn: 'Ticker',
    periodDefault: null,
    timeZone: 'Asia/Tokyo',
    calendar: 'every_day',
    schedule: {
      days: 'trading',
      time: '23:59',
      lateAt: { time: '11:00', isNextDay: true },
    },
    expectations: [{ date_in_name: true, usual_percent_min: 70, identifiers: ['7'] }],
    otherColumns: 'warn',
  });
  expect(read(JSON.stringify(queryDefinition())).faults).toEqual([]);
});

test('each check has a name, and refuses unless it is told to warn', () => {
  const { dataset } = read(stringify(tickDefinition()));
  const [range, max] = ['2020-02-29', '2024-02-29'];
  expect(dataset?.checks).toEqual([
    {
      name: 'keys TradeDate, CoinId, EventDateTime',
      severity: 'refuse',
      rule: { kind: 'keys', columns: ['TradeDate', 'CoinId', 'EventDateTime'] },
    },
    ...['Ticker', 'Aliases'].map((column) => {
      return { name: `required ${column}`, severity: 'refuse', rule: { kind: 'required', column } };
    }),
    {
      name: 'Price >= 0',
      severity: 'refuse',
      rule: { kind: 'range', column: 'Price', min: 0, max: null },
    },
    {
      name: 'CoinId <= LotId',
      severity: 'refuse',
      rule: { kind: 'relation', left: 'CoinId', operator: '<=', right: 'LotId' },
    },
    {
      name: 'Ticker != Base',
      severity: 'refuse',
      rule: { kind: 'relation', left: 'Ticker', operator: '!=', right: 'Base' },
    },
    {
      name: 'session EventDateTime',
      severity: 'refuse',
      rule: {
        kind: 'session',
        column: 'EventDateTime',
        dateColumn: 'TradeDate',
        beforeMidnightSeconds: 23_400,
      },
    },
    {
      name: 'trading_days TradeDate',
      severity: 'refuse',
      rule: { kind: 'trading_days', column: 'TradeDate' },
    },
    {
      name: 'latest TradeDate',
      severity: 'refuse',
      rule: { kind: 'latest', column: 'TradeDate', daysAhead: 1 },
    },
    {
      name: `${range} <= TradeDate <= ${max}`,
      severity: 'warn',
      rule: { kind: 'range', column: 'TradeDate', min: range, max },
    },
    {
      name: 'latest TradeDate',
      severity: 'warn',
      rule: { kind: 'latest', column: 'TradeDate', daysAhead: 3 },
    },
  ]);
});

test('a session that begins before noon begins on its own date', () => {
  const definition = changed(tickDefinition(), 'checks.0.begins', '04:00');
  const { dataset } = read(stringify(definition));
  expect(dataset?.checks.find(({ rule }) => rule.kind === 'session')).toMatchObject({
    rule: { beforeMidnightSeconds: -4 * 3600 },
  });
});

test('fields that are left out are null, empty or 0', () => {
  const definition = changed(queryDefinition(), 'partition', { unit: 'whole' });
  for (const name of [
    'universe_identifier',
    'start_date',
    'end_date',
    'variant',
    'universe',
    'also_stored_by',
    'root_column',
    'calendar',
    'checks',
    'expect',
    'other_columns',
    'derived_from',
    'intervals',
  ]) {
    delete definition[name];
  }
  for (const name of ['required_filters', 'date_column', 'default_period']) delete definition[name];
  definition.schedule = { days: 'none' };
  const { dataset, faults } = read(stringify(definition));
  expect(faults).toEqual([]);
  expect(dataset).toMatchObject({
    universeIdentifier: null,
    alsoStoredBy: null,
    startDate: null,
    endDate: null,
    variant: {},
    partitioning: { unit: 'whole', column: null },
    identifierColumns: [],
    requiredFilters: [],
    universeColumns: [],
    rootColumn: null,
    dateColumn: null,
    periodDefault: null,
    calendar: 'weekdays',
    schedule: { days: 'none', time: '00:00' },
    checks: [],
    expectations: [],
    otherColumns: 'refuse',
    derivation: null,
  });
});

test('filters are read by the clock that the definition names, else the given one, else the market', () => {
  const plain = tickDefinition();
  const named = changed(plain, 'filter_time_zone', 'America/New_York');
  const zoneOf = (definition: Raw, given: TimeZone | null) =>
    read(stringify({ ...definition, time_zone: 'America/Chicago' }), given).dataset?.filterTimeZone;
  expect(zoneOf(plain, null)).toBe('America/Chicago');
  expect(zoneOf(plain, 'America/New_York')).toBe('America/New_York');
  expect(zoneOf(named, 'America/Chicago')).toBe('America/New_York');
});

/** Shape, path to change, new value, field that is named, and what the fault says. */
const MUTATIONS: readonly [keyof typeof shapeOf, string, unknown, string, RegExp][] = [
  ['tick', 'id', 'us9001', 'id', /US and four digits/],
  ['tick', 'text_id', 'Crypto-Trades', 'text_id', /joined by underscores/],
  ['tick', 'name', '  ', 'name', /must be non-empty text/],
  ['tick', 'start_date', '2023-02-29', 'start_date', /calendar date YYYY-MM-DD/],
  ['tick', 'end_date', '2019-12-31', 'end_date', /before start_date 2020-02-29/],
  ['tick', 'is_time_series', 'yes', 'is_time_series', /true or false/],
  ['tick', 'path', 'ticks', 'path', /one of tick, identifier, query/],
  ['tick', 'segment', 'Crypto/trades', 'segment', /joined by hyphens/],
  ['tick', 'variant.adjusted', 'no', 'variant.adjusted', /true or false/],
  ['tick', 'variant.aggregation_logic', 'x', 'variant.aggregation_logic', /vendor_default/],
  ['tick', 'variant.other', 1, 'variant.other', /legal fields: adjusted, aggregation_logic/],
  ['tick', 'colour', 'red', 'colour', /is not a field; legal fields: id, text_id/],
  ['tick', 'natural_order', [], 'natural_order', /at least 1/],
  ['tick', 'natural_order.1', 'Symbol', 'natural_order[1]', /names an unknown column: Symbol/],
  ['tick', 'natural_order.2', 'Ticker', 'natural_order[2]', /a second time/],
  ['tick', 'columns.4.type', 'decimal', 'columns[4].precision', /a decimal column needs it/],
  [
    'tick',
    'columns.4.precision',
    9,
    'columns[4].precision',
    /applies only to decimal columns; this/,
  ],
  ['tick', 'columns.4.scale', -1, 'columns[4].scale', /a whole number from 0 to 38, not -1/],
  [
    ...([
      'tick',
      'columns.4',
      { name: 'Price', type: 'decimal', description: 'x', precision: 4, scale: 5 },
    ] as const),
    ...(['columns[4].scale', /must be at most the precision, 4, not 5/] as const),
  ],
  ['tick', 'natural_order.2', 'Aliases', 'natural_order[2]', /Aliases is array of string/],
  ['tick', 'partition.unit', 'week', 'partition.unit', /one of day, month, year, whole/],
  ['tick', 'partition.unit', 'whole', 'partition.column', /must be absent/],
  ['tick', 'partition.column', undefined, 'partition.column', /is missing/],
  ['tick', 'partition.column', 'Ticker', 'partition.column', /type date; Ticker is string/],
  ['tick', 'natural_order.0', 'CoinId', 'partition.column', /first column of natural_order/],
  ['tick', 'identifier', undefined, 'identifier', /path tick needs it/],
  ['tick', 'identifier.0', 'Price', 'identifier[0]', /Price is number/],
  ['tick', 'identifier', ['CoinId', 'Ticker'], 'identifier[0]', /CoinId is not/],
  ['tick', 'identifier', ['Ticker', 'Ticker'], 'identifier[1]', /a second time/],
  ['tick', 'required_filters', ['Ticker'], 'required_filters', /absent when path is tick/],
  ['tick', 'default_period', '1Y', 'default_period', /absent when path is tick/],
  ['tick', 'date_column', 'EventDateTime', 'date_column', /EventDateTime is date-time/],
  ['tick', 'universe.0', 'Coin', 'universe[0]', /names an unknown column: Coin/],
  ['tick', 'universe.0', 'Price', 'universe[0]', /Price is number/],
  ['tick', 'also_stored_by', 'Coin', 'also_stored_by', /names an unknown column: Coin/],
  ['tick', 'also_stored_by', 'Price', 'also_stored_by', /Price is number/],
  [
    'tick',
    'also_stored_by',
    'TradeDate',
    'also_stored_by',
    /must not be the first .+ TradeDate is/,
  ],
  [
    'tick',
    'also_stored_by',
    'Venue',
    'also_stored_by',
    /a column of identifier or universe; Venue/,
  ],
  ['tick', 'filter_time_zone', 'Paris', 'filter_time_zone', /must be the IANA name of a time zone/],
  ['tick', 'time_zone', 'europe/paris', 'time_zone', /such as America\/New_York, not "europe/],
  ['tick', 'calendar', 'XTKS', 'calendar', /one of XNYS, CME, weekdays, every_day/],
  ['tick', 'root_column', 'Root', 'root_column', /names an unknown column: Root/],
  ['tick', 'root_column', 'CoinId', 'root_column', /type string; CoinId is integer/],
  ['tick', 'schedule.days', 'daily', 'schedule.days', /one of trading, none/],
  ['tick', 'schedule.time', '24:00', 'schedule.time', /HH:MM/],
  ['tick', 'schedule.time', undefined, 'schedule.time', /is missing/],
  ['tick', 'checks', [{}], 'checks[0]', /has none of keys, required, range, .*, relations/],
  ['tick', 'checks.0.keys', ['Ticker'], 'checks[0].keys', /partition's column TradeDate/],
  ['tick', 'checks.0.keys.1', 'Aliases', 'checks[0].keys[1]', /Aliases is array of string/],
  ['tick', 'checks.0.required.1', 'Ticker', 'checks[0].required[1]', /names Ticker a second time/],
  [
    'tick',
    'checks.0.range',
    ['Ticker'],
    'checks[0].range[0]',
    /integer, number, decimal, date; Ti/,
  ],
  ['tick', 'checks.0.range', undefined, 'checks[0].min', /needs range/],
  ['tick', 'checks.0.min', undefined, 'checks[0].range', /needs min or max/],
  ['tick', 'checks.0.min', '2020-01-01', 'checks[0].min', /must be a number, as Price is number/],
  ['tick', 'checks.1.min', 7, 'checks[1].min', /must be a date, as TradeDate is date/],
  ['tick', 'checks.1.min', '2024-03-01', 'checks[1].max', /not be below min 2024-03-01/],
  ['tick', 'checks.0.min', 'low', 'checks[0].min', /a number, or a calendar date/],
  ['tick', 'checks.0.relations.0', 'Price =< CoinId', 'checks[0].relations[0]', /one of <= >= !=/],
  ['tick', 'checks.0.relations.0', 'Price < 5', 'checks[0].relations[0]', /and a column/],
  ['tick', 'checks.0.relations.0', 'Low < Price', 'checks[0].relations[0]', /unknown column: Low/],
  ['tick', 'checks.0.relations.0', 'Price < CoinId', 'checks[0].relations[0]', /of one type; Pr/],
  ['tick', 'checks.0.relations.0', 'Price < Price', 'checks[0].relations[0]', /with itself/],
  ['tick', 'checks.0.session', ['TradeDate'], 'checks[0].session[0]', /TradeDate is date$/m],
  ['tick', 'checks.0.begins', '24:00', 'checks[0].begins', /HH:MM/],
  ['tick', 'checks.0.session', undefined, 'checks[0].begins', /needs session/],
  ['tick', 'checks.0.trading_days.0', 'Day', 'checks[0].trading_days[0]', /unknown column: Day/],
  ['tick', 'checks.0.latest', ['EventDateTime'], 'checks[0].latest[0]', /type date; EventDate/],
  ['tick', 'checks.2.days_ahead', -1, 'checks[2].days_ahead', /whole number from 0 to 3650/],
  ['tick', 'checks.2.latest', undefined, 'checks[2].days_ahead', /needs latest/],
  ['tick', 'checks.0.on_failure', 'skip', 'checks[0].on_failure', /one of refuse, warn/],
  ['tick', 'checks.0.unique', ['Ticker'], 'checks[0].unique', /is not a field; legal fields: keys/],
  ['query', 'date_column', undefined, 'checks[0].session', /needs a date_column/],
  ['tick', 'intervals.by', undefined, 'intervals.by', /is missing/],
  ['tick', 'intervals.by', ['CoinId'], 'intervals.by', /must have Ticker of natural_order/],
  ['tick', 'intervals.by.1', 'Aliases', 'intervals.by[1]', /Aliases is array of string/],
  ['tick', 'intervals.time', 'TradeDate', 'intervals.time', /type date-time; TradeDate is date/],
  ['tick', 'natural_order', ['TradeDate', 'Ticker'], 'intervals.time', /the last column/],
  ['query', 'natural_order.0', 'CoinId', 'intervals', /date_column that natural_order begins/],
  ['tick', 'sessions.0.name', 'night', 'sessions[0].name', /one of regular, extended, overnight/],
  ['tick', 'sessions.1.start', '05:00', 'sessions[1].start', /must not be before 06:00/],
  ['tick', 'sessions.1.end', '05:00', 'sessions[1].end', /must be after start, 06:00/],
  ['tick', 'sessions.0.start', '00:00', 'sessions[0].evening_date', /on the evening before/],
  ['tick', 'intervals.high.0', 'Ticker', 'intervals.high[0]', /Ticker is string/],
  ['tick', 'intervals.sum.0', 'Price', 'intervals.sum[0]', /Price is number/],
  ['tick', 'intervals.low', ['Price'], 'intervals', /names Price a second time/],
  ['tick', 'intervals.last', ['CoinId'], 'intervals', /names CoinId a second time/],
  [
    'tick',
    'intervals.weighted',
    ['Price x LotId'],
    'intervals.weighted[0]',
    /such as VolumeWeight/,
  ],
  ['tick', 'intervals.weighted', ['Price by Price'], 'intervals.weighted[0]', /Price is number/],
  ['tick', 'intervals.beside', ['Price by LotId'], 'intervals.beside[0]', /LotId is none/],
  ['tick', 'intervals.offset', ['LotId by Price'], 'intervals.offset[0]', /LotId is integer/],
  ['tick', 'schedule.late_at', '11:00 tomorrow', 'schedule.late_at', /HH:MM next day/],
  ['tick', 'schedule.days', 'none', 'schedule.late_at', /needs days: trading/],
  ['tick', 'expect.0.usual_percent_min', 0.7, 'expect[0].usual_percent_min', /from 1 to 10000/],
  ['tick', 'expect.0.identifiers', [7], 'expect[0].identifiers[0]', /must be/],
  ['query', 'date_column', undefined, 'expect', /needs a date_column/],
  ['tick', 'columns', {}, 'columns', /must be a list/],
  ['tick', 'columns.1.name', 'eventTime', 'columns[1].name', /Pascal-case/],
  ['tick', 'columns.4.name', 'COINID', 'columns[4].name', /already the name of columns\[3\]/],
  ['tick', 'columns.1.type', 'timestamp', 'columns[1].type', /one of string, integer, number/],
  ['tick', 'columns.2.fraction_digits', 9, 'columns[2].fraction_digits', /date-time columns/],
  ['tick', 'columns.1.values', ['7'], 'columns[1].values', /only to text columns; this is/],
  ['tick', 'columns.2.values', [], 'columns[2].values', /at least 1/],
  ['tick', 'columns.1.fraction_digits', 6, 'columns[1].fraction_digits', /one of 0, 9/],
  ['tick', 'columns.0.type', 'string', 'date_column', /type date; TradeDate is string/],
  ['tick', 'date_column', undefined, 'path', /tick needs a date_column/],
  ['query', 'identifier', ['Ticker'], 'identifier', /absent when path is query/],
  ['query', 'required_filters.0', 'Coin', 'required_filters[0]', /names an unknown column/],
  ['query', 'default_period', '0Y', 'default_period', /such as 5Y/],
  ['query', 'date_column', undefined, 'default_period', /needs a date_column/],
  ['query', 'path', 'identifier', 'identifier', /path identifier needs it/],
];

test.each(MUTATIONS)('%s definition with %s = %j is refused, naming %s', (...mutation) => {
  const [shape, path, value, field, message] = mutation;
  const { dataset, faults } = read(stringify(changed(shapeOf[shape](), path, value)));
  expect(dataset).toBeNull();
  const named = faults.filter((fault) =>
    fault.replace(/^x\.yaml:\d+: /, '').startsWith(`${field} `),
  );
  expect(named.join('\n')).toMatch(message);
});

describe('faults', () => {
  const requiredFields = definitionFields().filter(({ isNeeded }) => isNeeded);

  test.each(requiredFields.map(({ name }) => name).filter((name) => !/[.[]/.test(name)))(
    'a file without %s is refused',
    (name) => {
      const { faults } = read(stringify(changed(tickDefinition(), name, undefined)));
      expect(faults.join('\n')).toContain(`: ${name} is missing`);
    },
  );

  test('name the line of the field', () => {
    const text = stringify(changed(tickDefinition(), 'columns.3.type', 'whole number'));
    const line = text.split('\n').findIndex((each) => each.includes('whole number')) + 1;
    expect(read(text).faults).toEqual([
      expect.stringMatching(`^x.yaml:${line}: columns\\[3\\].type must be one of .*"whole number"`),
    ]);
  });

  test('are reported together for fields, references and missing fields', () => {
    let definition = changed(tickDefinition(), 'time_zone', 'Mars');
    definition = changed(definition, 'natural_order.1', 'Symbol');
    definition = changed(definition, 'group', undefined);
    definition = changed(definition, 'extra', 1);
    const fields = read(stringify(definition)).faults.map((fault) => fault.split(' ')[1]);
    expect(fields.toSorted()).toEqual([
      'extra',
      'group',
      'intervals.by',
      'natural_order[1]',
      'time_zone',
    ]);
  });

  test('name the line of a syntax error', () => {
    expect(read('id: US9001\nname: [\n').faults[0]).toMatch(/^x\.yaml:[23]: /);
    expect(read('id: US9001\nid: US9002\n').faults[0]).toMatch(/^x\.yaml:2: .*unique/);
    expect(read('').faults).toEqual([expect.stringMatching(/^x\.yaml:1: the file must be/)]);
  });

  test('are all that any other content gets', () => {
    const paths = fc.constantFrom(
      ...definitionFields().map(({ name }) => name.replace('[]', '.0')),
      ...['columns.0', 'natural_order.0'],
    );
    fc.assert(
      fc.property(paths, fc.jsonValue(), (path, value) => {
        const original = tickDefinition();
        const { dataset, faults } = read(JSON.stringify(changed(original, path, value)));
        expect(dataset === null).toBe(faults.length > 0);
        for (const fault of faults) expect(fault).toMatch(/^x\.yaml:1: \S/);
      }),
      { numRuns: 500 },
    );
  });
});
