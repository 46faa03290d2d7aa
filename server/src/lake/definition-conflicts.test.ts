import { describe, expect, it } from 'vitest';
import { sampleDataset, typedDataset, widerDataset } from '../../test/lake/sample-dataset.ts';
import type { Column, Dataset } from '../catalog/dataset.ts';
import { storedColumnsOf } from '../engine/stored-columns.ts';
import { definitionConflicts } from './definition-conflicts.ts';

const stored = typedDataset('day');
const LAYOUT = {
  datasetId: stored.datasetId,
  storedColumns: storedColumnsOf(stored),
  key: '2026-11-18',
  partCount: 2,
};

const conflictsOf = (dataset: Dataset) => definitionConflicts([dataset], [LAYOUT]);
const markedOf = (dataset: Dataset) =>
  conflictsOf(dataset)
    .filter((line) => line.startsWith('  ! '))
    .map((line) => line.slice(4).replace(/ {2,}/, ' | '));

function withColumn(name: string, changes: Partial<Column>): Dataset {
  const columns = stored.columns.map((each) =>
    each.name === name ? { ...each, ...changes } : each,
  );
  return { ...stored, columns };
}

describe('a definition', () => {
  it.each([
    ['is the one that was published', stored],
    ['has more columns, fewer and wider ones', widerDataset('day')],
    ['makes numbers of integers', withColumn('ASID', { dataType: 'number' })],
    ['has other names and another calendar', { ...stored, name: 'Other', calendar: 'weekdays' }],
    ['is of another dataset', { ...sampleDataset('year', 'US9002') }],
  ] as const)('that %s fits', (_, dataset) => {
    expect(conflictsOf(dataset as Dataset)).toEqual([]);
  });

  it.each<[string, Dataset, string]>([
    [
      'narrows a type',
      withColumn('Strike', { dataType: 'integer' }),
      'Strike number | Strike integer',
    ],
    [
      'makes too short decimals of integers',
      withColumn('ASID', { dataType: 'decimal', precision: 20, scale: 2 }),
      'ASID integer | ASID decimal(20, 2)',
    ],
    [
      'takes digits from a decimal',
      withColumn('Fee', { precision: 30, scale: 3 }),
      'Fee decimal(30, 2) | Fee decimal(30, 3)',
    ],
    [
      'takes digits from a time',
      withColumn('EventDateTime', { fractionDigits: 0 }),
      'EventDateTime date-time, fraction_digits 9 | EventDateTime date-time',
    ],
    [
      'changes the natural order',
      { ...stored, naturalOrder: ['TradeDate', 'Ticker'] },
      'natural_order TradeDate, Ticker, EventDateTime, Strike, Fee | natural_order TradeDate, Ticker',
    ],
    [
      'changes the partitions',
      { ...stored, partitioning: { unit: 'month', column: 'TradeDate' } },
      'partition day | partition month',
    ],
    [
      'changes the clock',
      { ...stored, timeZone: 'America/Chicago' },
      'time_zone America/New_York | time_zone America/Chicago',
    ],
  ])('that %s is refused, both definitions side by side', (_, dataset, line) => {
    expect(markedOf(dataset)).toEqual([line]);
    const [first, titles, ...rest] = conflictsOf(dataset);
    expect(first).toContain(
      `the definition of ${stored.textId} (US9001) does not fit 2 parts of it`,
    );
    expect(titles?.trim().split(/ {2,}/)).toEqual(['published', 'definition']);
    expect(rest.join('\n')).toMatch(/^ {4}Ticker string +Ticker string$/m);
  });
});
