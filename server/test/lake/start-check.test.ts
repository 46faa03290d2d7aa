/** Rows before a dataset begins are looked at by date only where there are some. */
import { expect, it, vi } from 'vitest';
import type { DatasetCheck } from '../../src/catalog/checks.ts';
import { batchOfRows } from '../../src/engine/columns.ts';
import { tryLockFile } from '../../src/installed.ts';
import { findBrokenChecks } from '../../src/lake/check-findings.ts';
import { plainEngine } from '../engine/plain-engine.ts';
import { sampleDataset } from './sample-dataset.ts';

const rule = { kind: 'range', column: 'TradeDate', min: '2007-01-01', max: null } as const;
const start: DatasetCheck = { name: 'start', severity: 'refuse', rule, isOfStart: true };

it.each([
  ['2007-01-03', 0],
  ['2006-12-29', 1],
])('rows of %s are counted by date %i times', async (date, times) => {
  const dataset = { ...sampleDataset(), checks: [start] };
  const writer = await plainEngine()
    .openStorage({ home: 'start' }, tryLockFile)
    .openWriter(dataset);
  await writer.append(batchOfRows(dataset.columns, [[date, 'A', null, null, null, null]]));
  const dates = vi.spyOn(writer, 'dates');
  const found = await findBrokenChecks({ dataset, writer, existing: new Map(), nowMs: 0 });
  expect([found.length, dates.mock.calls.length]).toEqual([times, times]);
});
