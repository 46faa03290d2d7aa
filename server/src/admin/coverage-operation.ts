/** Coverage of each day of every dataset, for owners. */
import * as v from 'valibot';
import type { Dataset } from '../catalog/dataset.ts';
import type { DateSpan } from '../engine/query-plan.ts';
import type { Lake } from '../lake/lake.ts';
import {
  hasDays,
  INDEXED_DAY_STATES,
  type IndexedDays,
  indexedDayStates,
  isKeptByDay,
  partsOfDays,
  spansOf,
} from '../plan/partitions.ts';
import { addDays, datesOf } from '../request/literals.ts';
import { date, integer, text } from '../schema/answer.ts';
import { utcDay } from '../store/usage.ts';
import { optional, refuse } from './field.ts';
import { DATE } from './field-kinds.ts';
import { type LakeOperation, lakeOperation, read } from './lake-operation.ts';

const DAYS = 30;
/** Days of all datasets that one answer has. */
const MAP_DAYS_MAX = 366;

export const COVERAGE_MAP = v.strictObject({
  start: date,
  end: date,
  dates: v.array(date),
  datasets: v.array(
    v.strictObject({
      dataset_id: text,
      dataset_name: text,
      data_group: text,
      version: integer,
      first_trade_date: v.nullable(date),
      last_trade_date: v.nullable(date),
      /** One for each of `dates`. */
      states: v.array(v.nullable(v.picklist(INDEXED_DAY_STATES))),
    }),
  ),
});

/** States of the days of a dataset with one partition a day. */
async function withdrawnKeys(lake: Lake, { datasetId }: Dataset, version: number, span: DateSpan) {
  const keys = { first: span.start, last: span.end };
  const changes = await lake.ledger.lastChanges(datasetId, version, keys);
  return new Set(changes.filter(({ kind }) => kind === 'withdrawal').map(({ key }) => key));
}

async function indexedDays(lake: Lake, dataset: Dataset, span: DateSpan): Promise<IndexedDays> {
  const snapshot = await lake.snapshot(dataset.datasetId);
  const none = { dataset, snapshot, spans: [], withdrawnKeys: new Set<string>() };
  if (!snapshot) return none;
  if (isKeptByDay(dataset)) {
    return {
      ...none,
      withdrawnKeys: await withdrawnKeys(lake, dataset, snapshot.version, span),
    };
  }
  const groups = await snapshot.rowGroups(partsOfDays(dataset, snapshot.parts, span));
  return { ...none, spans: spansOf(dataset, snapshot, groups.flat()) };
}

/** If only the start was given, blame it. */
function spanOf(asked: { start?: string | undefined; end?: string | undefined }, nowMs: number) {
  const end = asked.end ?? utcDay(nowMs);
  const start = asked.start ?? addDays(end, 1 - DAYS);
  const isEndGiven = asked.end !== undefined;
  const [field, input] = isEndGiven ? ['end', end] : ['start', start];
  if (start > end) {
    const complaint = isEndGiven ? `not be before the start, ${start}` : `not be after ${end}`;
    refuse(field, 'end_before_start', `should ${complaint}`, input);
  }
  if (end >= addDays(start, MAP_DAYS_MAX)) {
    const other = isEndGiven ? `after ${start}` : `before ${end}`;
    refuse(field, 'range_too_long', `should be at most ${MAP_DAYS_MAX - 1} days ${other}`, input);
  }
  return { start, end };
}

const showCoverage = lakeOperation({
  name: 'showCoverageOfAll',
  summary: 'show the coverage of every dataset by day, from the index alone',
  endpoint: 'GET /admin/coverage',
  command: 'coverage',
  fields: {
    start: optional(DATE, `First day; default: ${DAYS} days up to the last one`, '--start D'),
    end: optional(
      DATE,
      `Last day, at most ${MAP_DAYS_MAX} days in all; default: today, UTC`,
      '--end D',
    ),
  },
  answer: COVERAGE_MAP,
  run: async ({ lake, catalog, nowMs }, asked) => {
    const span = spanOf(asked, nowMs);
    const dates = datesOf(span);
    const datasets = [];
    for (const dataset of catalog.datasets.filter(hasDays)) {
      const indexed = await indexedDays(lake, dataset, span);
      const { snapshot } = indexed;
      datasets.push({
        dataset_id: dataset.datasetId,
        dataset_name: dataset.name,
        data_group: dataset.dataGroup,
        version: snapshot?.version ?? 0,
        first_trade_date: snapshot?.firstDate ?? null,
        last_trade_date: snapshot?.lastDate ?? null,
        states: indexedDayStates(indexed, dates, nowMs),
      });
    }
    return read({ ...span, dates, datasets });
  },
});

export const COVERAGE_OPERATIONS: readonly LakeOperation[] = [showCoverage];
