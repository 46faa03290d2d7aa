/** From the rule of a column to the steps that make its text. Pure. */
import type { Column, Dataset } from '../catalog/dataset.ts';
import type { TextStep } from '../engine/record-reading.ts';
import { MONTH_PAIRS, type TimeForm, timeForm } from '../ingest/time-forms.ts';
import type { TimeZone } from '../time/time-zone.ts';
import { type ColumnRule, EPOCHS } from './recipe.ts';

const ANY = '(?s:.*)';
const UNITS = { s: 'seconds', ms: 'milliseconds', us: 'microseconds', ns: 'nanoseconds' };

export const listOf = <T>(given: T | readonly T[] | undefined): readonly T[] =>
  given === undefined ? [] : Array.isArray(given) ? given : [given as T];

/** The names of the fields from which a column comes. */
export const fieldsOfRule = ({ from, by, fields = {} }: ColumnRule): readonly string[] => [
  ...listOf(from),
  ...listOf(by),
  ...new Set(Object.values(fields)),
];

function extractStep({ extract, otherwise }: ColumnRule): TextStep[] {
  if (extract === undefined) return [];
  const kept = { refuse: [], keep: [[ANY, '\\0']], empty: [[ANY, '']] } as const;
  return [{ kind: 'rewrite', ways: [[extract, '\\1'], ...kept[otherwise ?? 'refuse']] }];
}

/** The patterns of which one must match the text; null: it may be any. */
export function neededPatterns(rule: ColumnRule): readonly string[] | null {
  const { extract, rewrite, table, bits, otherwise } = rule;
  if (extract !== undefined) return (otherwise ?? 'refuse') === 'refuse' ? [extract] : null;
  return rewrite && otherwise === 'refuse' && !table && !bits ? Object.keys(rewrite) : null;
}

function rewriteStep(rule: ColumnRule): TextStep[] {
  const { rewrite, extract } = rule;
  if (rewrite === undefined) return [];
  const isNeeded = extract === undefined && neededPatterns(rule) !== null;
  const kept = isNeeded ? [] : [[ANY, '\\0'] as const];
  return [{ kind: 'rewrite', ways: [...Object.entries(rewrite), ...kept] }];
}

function endStep({ without_end: end }: ColumnRule): TextStep[] {
  if (end === undefined) return [];
  return [
    {
      kind: 'rewrite',
      ways: [
        [`((?s:.*))${RegExp.escape(end)}`, '\\1'],
        [ANY, '\\0'],
      ],
    },
  ];
}

/** Digits that are grouped and pointed otherwise than ours. */
function numberSteps({ decimal, group }: ColumnRule): TextStep[] {
  if (decimal === undefined && group === undefined) return [];
  const groups = group === undefined ? '' : `[0-9]{1,3}(?:${RegExp.escape(group)}[0-9]{3})+|`;
  const pattern = `-?(?:${groups}[0-9]+)(?:${RegExp.escape(decimal ?? '.')}[0-9]+)?`;
  const removed = group === undefined ? [] : [[group, ''] as const];
  const pointed = decimal === undefined ? [] : [[decimal, '.'] as const];
  return [
    { kind: 'rewrite', ways: [[pattern, '\\0']] },
    { kind: 'replace', pairs: [...removed, ...pointed] },
  ];
}

/** A date from local times of another clock than the market's, or with offsets, needs a clock. */
function timeSteps(
  rule: ColumnRule,
  column: Column,
  { timeZone }: Dataset,
  zone: TimeZone,
): TextStep[] {
  const forms = listOf(rule.time).map((form) => timeForm(form) as TimeForm);
  if (forms.length === 0) return [];
  const isDate = column.dataType === 'date';
  const needsClock = ({ time, hasOffset }: TimeForm) =>
    isDate && time !== null && (hasOffset || zone !== timeZone);
  const { minus_seconds: seconds } = rule;
  const asTimes = !isDate || seconds !== undefined || forms.some(needsClock);
  const ways = forms.map(({ pattern, date, time }) => {
    return [pattern, asTimes ? (time ?? `${date}T00:00:00`) : date] as const;
  });
  return [
    ...(forms.some(({ hasNames }) => hasNames)
      ? [{ kind: 'replace', pairs: MONTH_PAIRS } as const]
      : []),
    ...(forms.some(({ isPadded }) => isPadded) ? [{ kind: 'pad' } as const] : []),
    { kind: 'rewrite', ways },
    ...(forms.some(({ isSeconds }) => isSeconds) ? [{ kind: 'seconds' } as const] : []),
    ...(seconds === undefined ? [] : [{ kind: 'minus', seconds } as const]),
    ...(isDate && asTimes ? [{ kind: 'date' } as const] : []),
  ];
}

function valueSteps(rule: ColumnRule, column: Column): TextStep[] {
  const { scaled, epoch, midnight = null, table, bits, otherwise = 'refuse' } = rule;
  if (scaled !== undefined) return [{ kind: 'scaled', digits: scaled }];
  if (rule.hexadecimal) return [{ kind: 'hexadecimal' }];
  const isDate = column.dataType === 'date';
  const isUtc = midnight === 'UTC';
  const isMidnight = isUtc || midnight;
  if (epoch) return [{ kind: 'epoch', digits: EPOCHS[epoch], isDate, isMidnight, isUtc }];
  if (table) return [{ kind: 'table', entries: Object.entries(table), otherwise }];
  if (!bits) return [];
  const codes = Object.entries(bits).map(
    ([code, bit]) => [code, bit === 'none' ? null : bit] as const,
  );
  const separator = rule.separated_by ?? null;
  return [
    { kind: 'bits', codes, separator, otherwise: otherwise === 'keep' ? 'refuse' : otherwise },
  ];
}

export function stepsOf(rule: ColumnRule, column: Column, dataset: Dataset, zone: TimeZone) {
  const pairs = Object.entries(rule.replace ?? {});
  return [
    ...extractStep(rule),
    ...rewriteStep(rule),
    ...endStep(rule),
    ...(pairs.length > 0 ? [{ kind: 'replace', pairs } as const] : []),
    ...numberSteps(rule),
    ...timeSteps(rule, column, dataset, zone),
    ...valueSteps(rule, column),
  ];
}

const SHOWN_TEXTS = 30;

function midnightWords(midnight: ColumnRule['midnight']): string {
  if (midnight === undefined) return '';
  if (midnight === 'UTC') return ', at midnight in UTC';
  return midnight ? ', at midnight in the market' : ', not at midnight in the market';
}

/** The texts that can be read, in words. */
export function legalOf(rule: ColumnRule): string {
  const { time, epoch, midnight, scaled, hexadecimal, decimal, group, table, bits } = rule;
  const needed = neededPatterns(rule);
  const names = fieldsOfRule(rule);
  const place = ` in ${names.length > 1 ? 'the fields' : 'the field'} ${names.join(', ')}`;
  const codes = Object.keys(table ?? bits ?? {}).slice(0, SHOWN_TEXTS);
  const what =
    rule.legal ||
    (time !== undefined && `a time of the form ${listOf(time).join(' or ')}`) ||
    (epoch && `${UNITS[epoch]} since 1970`) ||
    (scaled !== undefined && 'an integer') ||
    (hexadecimal && 'an integer in hexadecimal digits') ||
    ((decimal ?? group) !== undefined && `a number such as 1${group ?? ''}234${decimal ?? '.'}5`) ||
    (codes.length > 0 && `${bits ? 'codes' : 'one'} of ${codes.join(', ')}`) ||
    (needed && `a text that ${needed.join(' or ')} matches`) ||
    'a value';
  return what + place + midnightWords(midnight);
}
