/** Output of commands: tables, JSON, findings of checks, and errors. */

import { AllowanceMissing, type LoadAllowance, UsageError } from '../base/errors.ts';
import { failureText } from '../base/failure-text.ts';
import { counted, printableLine, printableText } from '../base/printable.ts';
import { type BadValue, badValueText } from '../engine/file-loading.ts';
import { type CheckFinding, foundRowText } from '../lake/check-findings.ts';

/** Each with its end. */
export function linesText(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

/** `[name, text]` of each line, the texts below each other. */
export function factsText(facts: readonly (readonly [name: string, text: string])[]) {
  const width = Math.max(...facts.map(([name]) => name.length)) + 2;
  return linesText(facts.map(([name, text]) => `${name.padEnd(width)}${text}`));
}

export function countText(count: number | null | undefined): string {
  return count?.toLocaleString('en-US') ?? '-';
}

export interface TitledColumn {
  readonly title: string;
  readonly align: 'left' | 'right';
}

export const left = (title: string): TitledColumn => ({ title, align: 'left' });
export const right = (title: string): TitledColumn => ({ title, align: 'right' });

/** A table as aligned text: a line of titles, and one for each row; none ends in blanks. */
export function alignedTable(
  columns: readonly TitledColumn[],
  rows: readonly (readonly string[])[],
): string {
  const titles = columns.map(({ title }) => title);
  const lines = [titles, ...rows];
  const widths = columns.map((_, c) => Math.max(...lines.map((line) => (line[c] ?? '').length)));
  const cellsOf = (line: readonly string[]) =>
    columns.map(({ align }, c) => {
      const cell = line[c] ?? '';
      return align === 'left' ? cell.padEnd(widths[c] ?? 0) : cell.padStart(widths[c] ?? 0);
    });
  return linesText(lines.map((line) => cellsOf(line).join('  ').trimEnd()));
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function withSnakeCaseKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSnakeCaseKeys);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [snakeCase(name), withSnakeCaseKeys(inner)]),
  );
}

/** One line of JSON; keys as the HTTP interface writes them, `row_count` for `rowCount`. */
export function printableJson(value: unknown): string {
  // JSON does not escape every character that can control a terminal.
  return `${printableText(JSON.stringify(withSnakeCaseKeys(value)))}\n`;
}

interface RowsOfLoad {
  readonly rowCount: number;
  readonly partitions: readonly unknown[];
  readonly replacedRowCount: number;
}

/** `12 rows in 2 partitions, in place of 3 rows`. */
export function rowsText({ rowCount, partitions, replacedRowCount }: RowsOfLoad): string {
  const replaced = replacedRowCount > 0 ? `, in place of ${counted(replacedRowCount, 'row')}` : '';
  return `${counted(rowCount, 'row')} in ${counted(partitions.length, 'partition')}${replaced}`;
}

interface BadRows {
  readonly badRowCount: number;
  readonly badValues: readonly BadValue[];
  /** True if the good ones were published. */
  readonly isPublished?: boolean;
}

/** A line for each bad value that is shown; none without bad rows. */
export function badRowLines({ badRowCount, badValues, isPublished = false }: BadRows): string[] {
  if (badRowCount === 0) return [];
  const head = `${counted(badRowCount, 'bad row')}${isPublished ? ' left out' : ''}:`;
  return [head, ...badValues.map((bad) => `  ${badValueText(bad)}`)];
}

const WHAT = { refuse: 'check failed', warn: 'warning' } as const;

function linesOf({ severity, expected, rowCount, rows, found }: CheckFinding): string[] {
  if (found !== undefined) return [`${WHAT[severity]}: ${expected}; found ${printableLine(found)}`];
  const head = `${WHAT[severity]}: ${expected}, which ${counted(rowCount, 'row')} ${
    rowCount === 1 ? 'breaks' : 'break'
  }:`;
  return [head, ...rows.map((row) => `  ${printableLine(foundRowText(row))}`)];
}

/** A line for each check and for each row that is shown of it. */
export function checkLines(findings: readonly CheckFinding[]): string[] {
  return findings.flatMap(linesOf);
}

/** Why nothing was published, and what may be done about it. */
export const CHECKS_FAILED =
  'nothing was published; correct the rows, or the checks in the definition of the dataset';

const ADVICE: Readonly<Record<LoadAllowance, string>> = {
  allow_loss: '--allow-loss publishes it all the same',
  again: '--again loads them once more',
  allow_unended: '--allow-unended loads it all the same',
};

export function withAdvice(text: string, allowedBy: LoadAllowance | null): string {
  return allowedBy === null ? text : `${text}; ${ADVICE[allowedBy]}`;
}

/** An error, for the person at the command line. */
export function errorLines(error: unknown): readonly string[] {
  if (error instanceof AllowanceMissing) return [withAdvice(error.message, error.allowedBy)];
  return error instanceof UsageError ? error.lines : [failureText(error)];
}

/** An error, for programs. */
export function errorValue(error: unknown) {
  const isAllowable = error instanceof AllowanceMissing;
  return { error: failureText(error), ...(isAllowable ? { allowedBy: error.allowedBy } : {}) };
}
