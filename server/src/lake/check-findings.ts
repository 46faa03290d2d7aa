/** Holds the rows of a writer to the checks of their dataset, and says in words what breaks them */
import { calendarName } from '@ticklake/market/calendars.ts';
import { counted } from '../base/printable.ts';
import {
  type CheckRule,
  columnsOfRule,
  type DatasetCheck,
  type Severity,
} from '../catalog/checks.ts';
import type { Column, Dataset } from '../catalog/dataset.ts';
import { cellText } from '../engine/cell-text.ts';
import { dateOfDays, daysOfDate } from '../engine/columns.ts';
import type { BrokenRow, ExistingPart, PartWriter } from '../engine/engine.ts';
import type { PublicationCheck } from '../store/publications.ts';
import { marketDate } from '../time/market-time.ts';

/** The file and line that a row of a load comes from. */
export interface RowPlace {
  readonly file: string;
  /** From 1; the number of the row in formats without lines. Null: not known. */
  readonly line: number | null;
}

/** Tells where rows come from by their numbers, from 0 in the order in which the writer got them */
export interface PlacesOfRows {
  placeOf(row: number): RowPlace | null;
}

/**
 * Tells the keys of rows that come from no file, by their numbers, from 0 in the order in which the
 * writer got them.
 */
export interface KeysOfRows {
  find(rows: readonly number[]): Promise<ReadonlyMap<number, readonly FoundValue[]>>;
}

export interface FoundValue {
  readonly column: string;
  /** As answers show it; null: no value. */
  readonly value: string | null;
}

/** A row that breaks a check. */
export interface FoundRow {
  /** Row number in the load, from 1. */
  readonly row: number;
  /** Null: not known. */
  readonly file: string | null;
  /** Null: not known. */
  readonly line: number | null;
  readonly values: readonly FoundValue[];
  /** With keys: the row that has the same key, in words. */
  readonly sameAs?: string;
}

/** A check that rows break. */
export interface CheckFinding {
  /** As the definition states it: `keys TradeDate, Ticker`, `LowPrice <= HighPrice`. */
  readonly name: string;
  readonly severity: Severity;
  /** The rule in words. */
  readonly expected: string;
  readonly rowCount: number;
  /** The first ten. */
  readonly rows: readonly FoundRow[];
  /** The fault in words, where not single rows are at fault. */
  readonly found?: string;
}

export interface CheckedRows {
  readonly dataset: Dataset;
  readonly writer: PartWriter;
  /** Absent: nobody knows where the rows come from. */
  readonly places?: PlacesOfRows | undefined;
  /** Absent: where they come from tells rows apart. */
  readonly rowKeys?: KeysOfRows | undefined;
  /** The parts whose rows stay beside those of the writer, by partition. */
  readonly existing: ReadonlyMap<string, ExistingPart>;
  /** UTC milliseconds of the load. */
  readonly nowMs: number;
}

type Rule = DatasetCheck['rule'];
type RuleOf<Kind extends Rule['kind']> = Extract<Rule, { readonly kind: Kind }>;

const DAY_SECONDS = 86_400;

function lastDate({ daysAhead }: RuleOf<'latest'>, { timeZone }: Dataset, nowMs: number): string {
  return dateOfDays(daysOfDate(marketDate(timeZone, nowMs)) + daysAhead);
}

/** The rule as an engine knows it, which knows no today. */
function fixedRule(rule: Rule, dataset: Dataset, nowMs: number): CheckRule {
  if (rule.kind !== 'latest') return rule;
  const max = lastDate(rule, dataset, nowMs);
  return { kind: 'range', column: rule.column, min: null, max };
}

function sessionWords({ column, dateColumn, beforeMidnightSeconds }: RuleOf<'session'>): string {
  if (beforeMidnightSeconds === 0) return `${column} lies on ${dateColumn}`;
  const seconds = (DAY_SECONDS - beforeMidnightSeconds) % DAY_SECONDS;
  const begins = new Date(seconds * 1000).toISOString().slice(11, 16);
  const day = beforeMidnightSeconds > 0 ? ' of the day before' : '';
  return `${column} lies in the session of ${dateColumn}, from ${begins}${day}`;
}

type Words<Kind extends Rule['kind']> = (
  rule: RuleOf<Kind>,
  check: DatasetCheck,
  dataset: Dataset,
  nowMs: number,
) => string;

const EXPECTED: { readonly [Kind in Rule['kind']]: Words<Kind> } = {
  keys: ({ columns }) => `no other row has the same ${columns.join(', ')}`,
  required: ({ column }, _check, { columnByName }) => {
    const isText = columnByName.get(column)?.dataType === 'string';
    return `${column} has a value${isText ? ' without spaces around it' : ''}`;
  },
  range: (_rule, { name }) => name,
  relation: (_rule, { name }) => name,
  session: (rule, _check, { timeZone }) => `${sessionWords(rule)} in ${timeZone}`,
  trading_days: ({ column }, _check, { calendar }) =>
    `${column} is a trading day of ${calendarName(calendar)}`,
  latest: (rule, _check, dataset, nowMs) =>
    `${rule.column} is not after ${lastDate(rule, dataset, nowMs)}`,
};

function placeText({ file, line }: RowPlace): string {
  return line === null ? file : `${file}:${line}`;
}

function twinText(twin: number | null, places: PlacesOfRows | undefined): string {
  if (twin === null) return 'a row that is published';
  const place = places?.placeOf(twin);
  return place ? placeText(place) : `row ${twin + 1}`;
}

function foundRow(
  rule: CheckRule,
  broken: BrokenRow,
  { dataset, places }: CheckedRows,
  keys: readonly FoundValue[],
): FoundRow {
  const { row, cells, twin } = broken;
  const { file = null, line = null } = places?.placeOf(row) ?? {};
  const own = columnsOfRule(rule);
  const values = own.map((column, c) => ({
    column,
    value: cellText(dataset.columnByName.get(column) as Column, cells[c] ?? null, dataset.timeZone),
  }));
  const same = twin === undefined ? {} : { sameAs: twinText(twin, places) };
  const others = keys.filter(({ column }) => !own.includes(column));
  return { row: row + 1, file, line, values: [...others, ...values], ...same };
}

/** A history that leads up to the first date of the dataset has no lost times. */
async function severityOf(
  { severity, rule, isOfStart }: DatasetCheck,
  rowCount: number,
  writer: PartWriter,
): Promise<Severity> {
  if (rowCount === 0 || !isOfStart || rule.kind !== 'range') return severity;
  const early = (await writer.dates()).filter(({ date }) => date < `${rule.min}`);
  return early.reduce((sum, each) => sum + each.rowCount, 0) === rowCount ? 'warn' : severity;
}

/** The checks that rows of the writer break, in the order of the definition. */
export async function findBrokenChecks(checked: CheckedRows): Promise<CheckFinding[]> {
  const { dataset, writer, existing, nowMs } = checked;
  const { checks } = dataset;
  if (checks.length === 0) return [];
  const rules = checks.map(({ rule }) => fixedRule(rule, dataset, nowMs));
  const found = await writer.check(rules, existing);
  const numbers = new Set(found.flatMap(({ rows }) => rows.map(({ row }) => row)));
  const keys = numbers.size > 0 ? await checked.rowKeys?.find([...numbers]) : undefined;
  const severities = await Promise.all(
    checks.map((check, i) => severityOf(check, found[i]?.rowCount ?? 0, writer)),
  );
  return checks.flatMap((check, i) => {
    const { rowCount = 0, rows = [] } = found[i] ?? {};
    if (rowCount === 0) return [];
    const { name } = check;
    const severity = severities[i] as Severity;
    const shown = rows.map((row) =>
      foundRow(rules[i] as CheckRule, row, checked, keys?.get(row.row) ?? []),
    );
    const words = EXPECTED[check.rule.kind] as Words<Rule['kind']>;
    const expected = words(check.rule, check, dataset, nowMs);
    return { name, severity, expected, rowCount, rows: shown };
  });
}

/** A row in one line: `bars.csv:7: LowPrice "12", HighPrice "11"`. */
export function foundRowText({ row, file, line, values, sameAs }: FoundRow): string {
  const place = file === null ? `row ${row}` : placeText({ file, line });
  const shown = values.map(({ column, value }) => `${column} ${JSON.stringify(value)}`);
  return `${place}: ${shown.join(', ')}${sameAs === undefined ? '' : `, as in ${sameAs}`}`;
}

/** A finding as the ledger keeps it. */
export function notedCheck({ datasetId }: Dataset, finding: CheckFinding): PublicationCheck {
  const { name, severity, rowCount: count, rows, found } = finding;
  const examples = found === undefined ? rows.map(foundRowText) : [found];
  return { datasetId, name, severity, count, examples };
}

/** Why a load is refused; null: nothing speaks against it. */
export function refusalOf(findings: readonly CheckFinding[]): string | null {
  const failed = findings
    .filter(({ severity }) => severity === 'refuse')
    .map(({ name, rowCount, found = counted(rowCount, 'row') }) => `${name} (${found})`);
  return failed.length === 0 ? null : `checks failed: ${failed.join('; ')}`;
}
