import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { UsageError } from '../base/errors.ts';
import type { Dataset } from './dataset.ts';
import { loadCatalog } from './load-catalog.ts';

const SHIPPED = resolve(import.meta.dirname, '../../../datasets');
const SHIPPED_FILES = readdirSync(SHIPPED).filter((name) => name.endsWith('.yaml'));
/** Facts of every shipped dataset, so that none changes unnoticed. */
const KNOWN = resolve(import.meta.dirname, '../../test/shipped-datasets.json');
const SPECIFIED = resolve(import.meta.dirname, '../../../../shared/spec/datasets.json');

function shippedFile(textId: string): Record<string, unknown> {
  return parse(readFileSync(join(SHIPPED, `${textId}.yaml`), 'utf8'));
}

function faultsOf(directories: readonly string[]): string[] {
  try {
    loadCatalog(directories);
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    return [...(error as UsageError).lines];
  }
  return [];
}

describe('the shipped definitions', () => {
  const catalog = loadCatalog([SHIPPED]);

  test('are files named by text id, in the order of their ids', () => {
    const names = SHIPPED_FILES.map((name) => basename(name, '.yaml'));
    expect(catalog.datasets.map(({ textId }) => textId).toSorted()).toEqual(names.toSorted());
    const ids = catalog.datasets.map(({ datasetId }) => datasetId);
    expect(ids).toEqual(ids.toSorted());
  });

  test.skipIf(!existsSync(SPECIFIED))('agree with the specified list of datasets', () => {
    const specified = JSON.parse(readFileSync(SPECIFIED, 'utf8')) as SpecifiedDataset[];
    for (const expected of specified) {
      const dataset = catalog.byId(expected.dataset_id) as Dataset;
      expect(asSpecified(dataset)).toEqual({
        ...expected,
        natural_order: expected.natural_order.map((name) => name.replace(/ \(.*\)$/, '')),
        columns: expected.columns.map(({ name, data_type }) => ({ name, data_type })),
      });
    }
  });

  test('are those that were ever shipped: names, variants, columns, types, order', () => {
    const known = JSON.parse(readFileSync(KNOWN, 'utf8')) as Record<string, unknown>[];
    expect(catalog.datasets.map(asKnown)).toEqual(expect.arrayContaining(known));
  });

  test('describe events as no series of days, in which a day without rows would be missing', () => {
    const events = catalog.datasets.filter(
      ({ textId, timeGranularity }) =>
        timeGranularity.startsWith('Event') || textId === 'eq_ssr_circ_break',
    );
    expect(events.length).toBeGreaterThan(1);
    expect(events.filter(({ isTimeSeries }) => isTimeSeries)).toEqual([]);
  });

  test('all state checks, those of trade dates a latest one and those of bars a key', () => {
    for (const { textId, checks, dateColumn, naturalOrder } of catalog.datasets) {
      expect(checks.length, textId).toBeGreaterThan(0);
      const kinds = checks.map(({ rule }) => rule.kind);
      if (dateColumn === 'TradeDate') expect(kinds, textId).toContain('latest');
      if (naturalOrder.includes('BarDateTime')) expect(kinds, textId).toContain('keys');
    }
  });

  test('let futures have sessions on Sundays and prices below zero', () => {
    for (const { textId, dataGroup, checks } of catalog.datasets) {
      if (dataGroup !== 'Futures') continue;
      const rules = checks.map(({ rule }) => rule);
      expect(
        rules.map(({ kind }) => kind),
        textId,
      ).not.toContain('trading_days');
      const ranged = rules.flatMap((rule) => (rule.kind === 'range' ? [rule.column] : []));
      expect(
        ranged.filter((name) => name.endsWith('Price')),
        textId,
      ).toEqual([]);
    }
  });

  test('describe every dataset and column in sentences', () => {
    for (const { textId, description, columns } of catalog.datasets) {
      for (const each of [{ name: 'dataset', description }, ...columns]) {
        expect(each.description, `${textId} ${each.name}`).toMatch(/^(?=.{12})\S.*\S\.$/);
      }
    }
  });

  test('print nine fraction digits on the times of ticks alone', () => {
    for (const { textId, pathShape, columns } of catalog.datasets) {
      const digits = columns.filter((c) => c.dataType === 'date-time').map((c) => c.fractionDigits);
      expect(new Set([pathShape === 'tick' ? 9 : 0, ...digits]).size, textId).toBe(1);
    }
  });

  test('look back by default wherever the trade date is a column but not in the path', () => {
    for (const { textId, pathShape, columnByName, periodDefault } of catalog.datasets) {
      const hasPeriod = pathShape !== 'tick' && columnByName.has('TradeDate');
      const expected = textId === 'eq_taq_1min_ext' ? '1Y' : '5Y';
      expect(periodDefault, textId).toBe(hasPeriod ? expected : null);
    }
  });

  test('are found by exact id, by text id, and by both forms of the segment', () => {
    expect(catalog.byId('US1032')?.textId).toBe('eq_taq');
    expect(catalog.byId('us1032')).toBeUndefined();
    expect(catalog.byId('eq_taq')).toBeUndefined();
    expect(catalog.byTextId('fut_mult_depth')?.datasetId).toBe('US6002');
    const ids = (group: string, segment: string) =>
      catalog.bySegment(group, segment).map(({ datasetId }) => datasetId);
    expect(ids('us-equity', 'eq-taq')).toEqual(['US1032']);
    expect(ids('us-equity', 'taq')).toEqual(['US1032']);
    expect(ids('us-futures', 'taq')).toEqual(['US6011']);
    expect(ids('us-futures', 'eq-taq')).toEqual([]);
    expect(ids('us-futures', 'multiple-depth')).toEqual(['US6002']);
    expect(ids('us-equity', 'daily-ohlc')).toEqual(['US1020', 'US1021', 'US1022', 'US1023']);
    expect(ids('us-equity-opt-ref', 'occ-list-opt-daily')).toEqual(['US5102']);
    expect(ids('us-equity-opt-ref', 'list-opt-daily')).toEqual([]);
  });
});

describe('folders of definitions', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'definitions-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function add(name: string, definition: Record<string, unknown>): void {
    writeFileSync(join(folder, name), stringify(definition));
  }

  test('add a dataset by a file, YAML or JSON, and leave other files alone', () => {
    const trades = shippedFile('eq_trades');
    const mine = { ...trades, id: 'US9001', text_id: 'my_trades', segment: 'my-trades' };
    writeFileSync(join(folder, 'mine.json'), JSON.stringify(mine));
    writeFileSync(join(folder, 'README.md'), 'not a definition');
    const catalog = loadCatalog([SHIPPED, folder]);
    expect(catalog.datasets).toHaveLength(SHIPPED_FILES.length + 1);
    expect(catalog.bySegment('us-equity', 'my-trades')[0]?.datasetId).toBe('US9001');
  });

  test('replace a dataset of an earlier folder by id', () => {
    add('taq.yml', { ...shippedFile('eq_taq'), name: 'My Tape' });
    expect(loadCatalog([SHIPPED, folder]).byId('US1032')?.name).toBe('My Tape');
    expect(loadCatalog([folder, SHIPPED]).byId('US1032')?.name).not.toBe('My Tape');
  });

  test('may describe themselves in lines that begin as other files do', () => {
    const coins = { ...shippedFile('eq_taq'), id: 'US9001', text_id: 'coins', segment: 'coins' };
    const description = 'Trades of a venue that\nadds: those of others, and\nwidens: its hours.\n';
    add('coins.yaml', { ...coins, description });
    expect(loadCatalog([folder]).byTextId('coins')?.description).toContain('widens: its hours');
  });

  test('are refused when they cannot be read', () => {
    expect(faultsOf([join(folder, 'absent')])[0]).toMatch(/absent does not exist; check the path$/);
  });

  test('report the faults of all their files at once', () => {
    add('a.yaml', { ...shippedFile('eq_taq'), time_zone: 'Mars' });
    add('b.yaml', { ...shippedFile('eq_trades'), path: 'row' });
    const faults = faultsOf([folder]);
    expect(faults).toHaveLength(2);
    expect(faults[0]).toMatch(/a\.yaml:\d+: time_zone must be the IANA name/);
    expect(faults[1]).toMatch(/b\.yaml:\d+: path must be one of/);
  });

  const taken = { id: 'US9001', text_id: 'mine', segment: 'eq-mine' };
  /** The change to a shipped file, and the clash with the shipped eq_trades. */
  const clashes: readonly [string, Record<string, unknown>, RegExp][] = [
    [
      'text id',
      { text_id: 'eq_trades' },
      /text_id eq_trades is already used at .*eq_trades\.yaml:3/,
    ],
    [
      'variant',
      { segment: 'eq-trades' },
      /variant adjusted false is already used at .*eq_trades\.yaml/,
    ],
    ['short segment', { segment: 'trades' }, /segment us-equity\/trades is already the path of /],
    [
      'prefix of a segment',
      { segment: 'opt-trades' },
      /segment us-equity\/trades is already the path of /,
    ],
    ['variant field', { segment: 'eq-trades', variant: {} }, /variant must have the same fields/],
    [
      'path of a segment',
      { segment: 'eq-trades', variant: { adjusted: true }, path: 'identifier' },
      /path must be tick as in .*eq_trades\.yaml/,
    ],
  ];

  test.each(clashes)('clash by %s', (_what, change, message) => {
    add('mine.yaml', { ...shippedFile('eq_trades'), ...taken, ...change });
    expect(faultsOf([SHIPPED, folder]).join('\n')).toMatch(message);
  });

  const bars = { id: 'US9001', text_id: 'my_bars', segment: 'my-bars', variant: {} };
  const computation = 'equity_trade_bars';
  test.each([
    [
      'number of inputs',
      { computation, inputs: ['eq_trades', 'eq_taq'] },
      /must be 1 for .*: trades/,
    ],
    [
      'unknown dataset',
      { computation, inputs: ['eq_tarde'] },
      /names an unknown dataset: eq_tarde/,
    ],
    [
      'dataset itself',
      { computation, inputs: ['my_bars'] },
      /must not lead .*: my_bars from my_bars/,
    ],
    [
      'input that is one whole',
      { computation, inputs: ['eq_ipo'] },
      /needs a date_column .* eq_ipo/,
    ],
    [
      'input that is cut by dates',
      { computation: 'cumulative_factors', inputs: ['eq_trades'] },
      /needs a partition of the unit whole in my_bars\n.*unit whole in eq_trades/,
    ],
    ['computation', { computation: 'bars', inputs: ['eq_trades'] }, /computation must be one of/],
    [
      'interest rate',
      {
        computation: 'option_greeks',
        inputs: ['opt_tanq', 'eq_adj_factors_basic'],
        parameters: { interest_rate: -0.01 },
      },
      /interest_rate must be numbers from 0, by name/,
    ],
  ])('no dataset is derived from a wrong %s', (_what, derivedFrom, message) => {
    add('mine.yaml', { ...shippedFile('eq_trades_1min'), ...bars, derived_from: derivedFrom });
    expect(faultsOf([SHIPPED, folder]).join('\n')).toMatch(message);
  });

  test('datasets that are derived from each other are refused, with the way around', () => {
    const own = (id: string, textId: string, input: string) => {
      const derived = { computation, inputs: [input] };
      const names = { id, text_id: textId, segment: textId.replace('_', '-'), variant: {} };
      add(`${id}.yaml`, { ...shippedFile('eq_trades_1min'), ...names, derived_from: derived });
    };
    own('US9001', 'bars_one', 'bars_two');
    own('US9002', 'bars_two', 'bars_one');
    expect(faultsOf([SHIPPED, folder])).toEqual([
      expect.stringContaining('lead back to the dataset: bars_one from bars_two from bars_one'),
      expect.stringContaining('lead back to the dataset: bars_two from bars_one from bars_two'),
    ]);
  });

  test('clash by an id that two files of one folder have', () => {
    add('a.yaml', shippedFile('eq_taq'));
    add('b.yaml', shippedFile('eq_taq'));
    expect(faultsOf([folder])).toEqual([
      expect.stringMatching(/b\.yaml:1: id US1032 is already used at .*a\.yaml:1: id$/),
    ]);
  });
});

interface SpecifiedDataset {
  readonly dataset_id: string;
  readonly natural_order: readonly string[];
  readonly columns: readonly { readonly name: string; readonly data_type: string }[];
}

const NOT_IN_A_DEFINITION = {
  dataset_id_basis: expect.anything(),
  column_list: expect.anything(),
  description: expect.any(String),
  value_domains: null,
  samples: null,
};

function asSpecified(dataset: Dataset): Record<string, unknown> {
  const { adjusted, aggregationLogic } = dataset.variant;
  return {
    ...NOT_IN_A_DEFINITION,
    dataset_id: dataset.datasetId,
    dataset_text_id: dataset.textId,
    dataset_name: dataset.name,
    group: dataset.group,
    segment: dataset.segment,
    path_shape: dataset.pathShape,
    variant: {
      ...(adjusted === undefined ? {} : { adjusted }),
      ...(aggregationLogic === undefined ? {} : { aggregation_logic: aggregationLogic }),
    },
    data_group: dataset.dataGroup,
    dataset_class: dataset.datasetClass,
    dataset_format: dataset.datasetFormat,
    time_granularity: dataset.timeGranularity,
    universe_identifier: dataset.universeIdentifier,
    start_date: dataset.startDate,
    natural_order: dataset.naturalOrder,
    columns: dataset.columns.map(({ name, dataType }) => ({ name, data_type: dataType })),
  };
}

/** A dataset without the texts for people; each column as `name type`. */
function asKnown(dataset: Dataset): Record<string, unknown> {
  const facts = Object.entries(asSpecified(dataset)).filter(
    ([name]) => !Object.hasOwn(NOT_IN_A_DEFINITION, name),
  );
  const columns = dataset.columns.map(({ name, dataType }) => `${name} ${dataType}`);
  return { ...Object.fromEntries(facts), columns };
}
