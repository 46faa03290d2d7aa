/** Checks how a definition's bars are put together. */
import { OWN_RULES, PAIR_RULES, pairOf } from './bar-rules.ts';
import { type ColumnTypes, checkReference, type Report } from './column-references.ts';
import type { DataType } from './dataset.ts';
import type { DefinitionDraft } from './definition.ts';

type Stated = NonNullable<DefinitionDraft['intervals']>;

const NUMBERS: readonly DataType[] = ['integer', 'number', 'decimal'];

/** Floating-point sums would depend on what else is summed. */
const OWN_TYPES: Readonly<Record<(typeof OWN_RULES)[number], readonly DataType[]>> = {
  first: NUMBERS,
  last: NUMBERS,
  high: NUMBERS,
  low: NUMBERS,
  sum: ['integer', 'decimal'],
};

/** Types of both columns of a pair. */
const PAIR_TYPES: Readonly<
  Record<(typeof PAIR_RULES)[number], readonly [readonly DataType[], readonly DataType[]]>
> = {
  weighted: [['number'], ['integer']],
  beside: [NUMBERS, NUMBERS],
  offset: [['number'], NUMBERS],
};

/** What decides from which bar a value comes. */
const LEADING = ['first', 'last', 'high', 'low'] as const;

function checkOwnRules(stated: Stated, types: ColumnTypes, report: Report): string[] {
  const ruled: string[] = [];
  for (const kind of OWN_RULES) {
    for (const [i, column] of stated[kind]?.entries() ?? []) {
      if (column === undefined) continue;
      checkReference(['intervals', kind, i], column, OWN_TYPES[kind], types, report);
      ruled.push(column);
    }
  }
  return ruled;
}

function checkPairs(stated: Stated, types: ColumnTypes, report: Report): string[] {
  const leading = new Set(LEADING.flatMap((kind) => stated[kind] ?? []));
  const ruled: string[] = [];
  for (const kind of PAIR_RULES) {
    for (const [i, pair] of stated[kind]?.entries() ?? []) {
      if (pair === undefined) continue;
      const path = ['intervals', kind, i];
      const [column, other] = pairOf(pair);
      const [ownTypes, otherTypes] = PAIR_TYPES[kind];
      checkReference(path, column, ownTypes, types, report);
      checkReference(path, other, otherTypes, types, report);
      if (kind !== 'weighted' && !leading.has(other)) {
        report(path, `must go by a column of ${LEADING.join(', ')}; ${other} is none`);
      }
      ruled.push(column);
    }
  }
  return ruled;
}

/** Each column has one rule, and those that say what and when a bar is have none. */
function checkRepetitions(stated: Stated, ruled: readonly string[], report: Report): void {
  const seen = new Set([...(stated.by ?? []), stated.time]);
  for (const column of ruled) {
    if (seen.has(column)) report(['intervals'], `names ${column} a second time`);
    seen.add(column);
  }
}

function checkOrder(definition: DefinitionDraft, stated: Stated, report: Report): void {
  const { natural_order: order = [], date_column: date } = definition;
  const { time, by } = stated;
  if (date === undefined || order[0] !== date) {
    report(['intervals'], 'needs a date_column that natural_order begins with');
  }
  if (time !== undefined && order.at(-1) !== time) {
    report(['intervals', 'time'], `must be the last column of natural_order, not ${time}`);
  }
  const missing = order.filter((each) => each !== date && each !== time && !by?.includes(each));
  if (by && missing.length > 0) {
    report(['intervals', 'by'], `must have ${missing.join(', ')} of natural_order`);
  }
}

function checkSessions(
  { time, sessions = [], early_close: early, offset }: Stated,
  report: Report,
) {
  const ascends = sessions.every((each, i) => i === 0 || (each ?? '') > (sessions[i - 1] ?? ''));
  if (!ascends) report(['intervals', 'sessions'], 'must ascend');
  if (early !== undefined && sessions.length < 2) {
    report(['intervals', 'early_close'], 'needs two sessions or more');
  }
  if (time === undefined && offset) report(['intervals', 'offset'], 'needs a time');
}

const BY_TYPES: readonly DataType[] = ['string', 'integer', 'number', 'date'];

/** Reports what contradicts itself in how bars are put together. */
export function checkIntervals(
  definition: DefinitionDraft,
  types: ColumnTypes,
  report: Report,
): void {
  const { intervals: stated } = definition;
  if (!stated) return;
  const { time, by } = stated;
  if (time !== undefined) {
    checkReference(['intervals', 'time'], time, ['date-time'], types, report);
  }
  for (const [i, column] of by?.entries() ?? []) {
    if (column !== undefined) {
      checkReference(['intervals', 'by', i], column, BY_TYPES, types, report);
    }
  }
  const ruled = [...checkOwnRules(stated, types, report), ...checkPairs(stated, types, report)];
  checkRepetitions(stated, ruled, report);
  checkOrder(definition, stated, report);
  checkSessions(stated, report);
}
