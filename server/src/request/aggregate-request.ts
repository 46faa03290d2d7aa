/** A request for groups of rows: the grammar of data requests, and what is computed of the rows. */
import {
  GROUP_INTERVALS,
  type GroupInterval,
  MEASURE_NAMES,
  type MeasureKind,
  ruleOf,
} from '../engine/groups.ts';
import { type DataRequest, type DataRequestInput, readDataRequest } from './data-request.ts';
import { alternatives } from './request-problem.ts';
import type { DataRequestLimits } from './settings.ts';
import { type GivenParameters, readParameters } from './standard-parameters.ts';

export interface AskedMeasure {
  readonly kind: MeasureKind;
  readonly columns: readonly string[];
  readonly share?: number;
}

export interface AskedGroups {
  readonly by: readonly string[];
  readonly interval: GroupInterval | null;
  readonly measures: readonly AskedMeasure[];
}

export interface AggregateRequest extends DataRequest {
  readonly groups: AskedGroups;
}

/** Columns of `by`, and entries of `select`. */
const KEYS_MAX = 8;
const MEASURES_MAX = 32;

const INTERVAL_NAMES = Object.keys(GROUP_INTERVALS) as GroupInterval[];

/** As they are written, such as `count, count(column), sum(column)`. */
export const MEASURE_FORMS = MEASURE_NAMES.flatMap((kind) => {
  const { takes, isBare } = ruleOf(kind);
  return [...(isBare ? [kind] : []), `${kind}(${takes.join(',')})`];
});

/** Parameters of requests for groups, in the order of the documents. */
export const AGGREGATE_PARAMETERS = {
  select: `What is computed of each group, separated by commas: ${MEASURE_FORMS.join(', ')}`,
  by: 'Columns whose equal values make a group, separated by commas; default: one group',
  interval: `Groups rows by time as well: ${INTERVAL_NAMES.join(', ')}`,
} as const;

type Given = GivenParameters<keyof typeof AGGREGATE_PARAMETERS>;

/** Digits after the point of a share. */
const SHARE_DIGITS_MAX = 9;

/** Without an exponent, which small numbers would have. */
function shareText(share: number): string {
  return share.toFixed(SHARE_DIGITS_MAX).replace(/\.?0+$/, '');
}

/** The name of a measure's column in the answer, which is how a request writes it. */
export function measureText({ kind, columns, share }: AskedMeasure): string {
  const taken = [...columns, ...(share === undefined ? [] : [shareText(share)])];
  return taken.length === 0 ? kind : `${kind}(${taken.join(',')})`;
}

const MEASURE = /^([a-z]+)(?:\(([^()]*)\))?$/;
const SHARE = /^(0(\.\d{1,9})?|1(\.0{1,9})?)$/;

/** Null: it is none. */
function readMeasure(text: string): AskedMeasure | null {
  const [, name, inside] = MEASURE.exec(text) ?? [];
  const kind = MEASURE_NAMES.find((each) => each === name);
  if (kind === undefined) return null;
  const { takes, isBare } = ruleOf(kind);
  if (inside === undefined) return isBare ? { kind, columns: [] } : null;
  const given = inside.split(',').map((each) => each.trim());
  if (given.length !== takes.length || given.includes('')) return null;
  const columns = given.filter((_, g) => takes[g] === 'column');
  const share = given.find((_, g) => takes[g] === 'share');
  if (share === undefined) return { kind, columns };
  return SHARE.test(share) ? { kind, columns, share: Number(share) } : null;
}

function refuseRepeated(given: Given, parameter: 'by' | 'select', entries: readonly string[]) {
  const repeated = entries.find((each, e) => entries.indexOf(each) < e);
  if (repeated === undefined) return;
  given.refuse(parameter, 'duplicate_column', `'${parameter}' should have '${repeated}' only once`);
}

function refuseMany(given: Given, parameter: 'by' | 'select', count: number, most: number) {
  if (count <= most) return;
  const ctx = { max_length: most, actual_length: count };
  const msg = `'${parameter}' should have at most ${most} entries, not ${count}`;
  given.refuse(parameter, 'too_long', msg, ctx);
}

function readMeasures(given: Given): AskedMeasure[] {
  const text = given.text('select');
  const expected = alternatives(MEASURE_FORMS);
  if (text === null) {
    const msg = `The parameter 'select' should say what is computed: ${expected}, separated by commas`;
    given.refuse('select', 'missing', msg, { expected });
    return [];
  }
  // Between commas outside of parentheses.
  const entries = text.split(/,(?![^()]*\))/).map((each) => each.trim());
  refuseMany(given, 'select', entries.length, MEASURES_MAX);
  const measures = entries.map(readMeasure);
  const wrong = entries[measures.indexOf(null)];
  if (wrong !== undefined) {
    const msg =
      `'${wrong}' in 'select' should be ${expected}; a share is a number from 0 to 1 ` +
      'with at most 9 digits after its point';
    given.refuse('select', 'unknown_measure', msg, { expected });
  }
  const known = measures.filter((measure) => measure !== null);
  refuseRepeated(given, 'select', known.map(measureText));
  return known;
}

function readKeys(given: Given): string[] {
  const by = given.text('by')?.split(',') ?? [];
  if (by.includes(''))
    given.refuse('by', 'missing_name', "Each entry of 'by' should name a column");
  refuseMany(given, 'by', by.length, KEYS_MAX);
  refuseRepeated(given, 'by', by);
  return by;
}

/** Reads a request for groups. Throws as `readDataRequest` does. */
export function parseAggregateRequest(
  input: DataRequestInput,
  limits: DataRequestLimits,
): AggregateRequest {
  const { own, ...parameters } = readParameters(input.queryString, AGGREGATE_PARAMETERS);
  const groups = {
    by: readKeys(own),
    interval: own.choice('interval', INTERVAL_NAMES),
    measures: readMeasures(own),
  };
  return { ...readDataRequest(input, parameters, limits), groups };
}
