/** The answer of an administrative operation as text: a table of rows, or a line for each value, with a table for each list of objects. */
import { printableLine } from '../base/printable.ts';
import { alignedTable } from './table-text.ts';

type Members = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTable(value: unknown): value is readonly Members[] {
  return Array.isArray(value) && value.length > 0 && value.every(isObject);
}

function plainText(value: unknown): string {
  return isObject(value) ? JSON.stringify(value) : String(value);
}

function cellText(value: unknown): string {
  if (value === null) return '-';
  if (!Array.isArray(value)) return printableLine(plainText(value));
  return value.length === 0 ? '-' : printableLine(value.map(plainText).join(','));
}

/** The differences between two states; everything if there is only one state. */
function changesText(before: unknown, after: unknown): string {
  if (!isObject(before) || !isObject(after)) {
    return [before, after]
      .filter(isObject)
      .flatMap((state) => flattened(state))
      .map(([name, text]) => `${name} ${text}`)
      .join('; ');
  }
  const was = new Map(flattened(before));
  return flattened(after)
    .filter(([name, text]) => was.get(name) !== text)
    .map(([name, text]) => `${name} ${was.get(name) ?? '-'} -> ${text}`)
    .join('; ');
}

function withChanges(row: Members): Members {
  if (!('before' in row && 'after' in row)) return row;
  const { before, after, ...others } = row;
  return { ...others, changes: changesText(before, after) };
}

function tableText(data: readonly Members[]): string {
  const rows = data.map(withChanges);
  const [first] = rows;
  if (!first) return 'none\n';
  const names = Object.keys(first);
  const columns = names.map((name) => ({
    title: name.toUpperCase().replaceAll('_', ' '),
    align: typeof first[name] === 'number' ? ('right' as const) : ('left' as const),
  }));
  return alignedTable(
    columns,
    rows.map((row) => names.map((name) => cellText(row[name]))),
  );
}

/** `[name, text]` of each value, those of inner objects by their path: `month.requests`. */
function flattened(members: Members, prefix = ''): [string, string][] {
  return Object.entries(members).flatMap(([name, value]): [string, string][] =>
    isObject(value)
      ? flattened(value, `${prefix}${name}.`)
      : [[`${prefix}${name}`, cellText(value)]],
  );
}

function linesText(members: Members): string {
  const rows = flattened(members);
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `${name.padEnd(width)}  ${text}\n`).join('');
}

/** The lists of objects below the lines of all else, each below its name. */
function membersText(members: Members): string {
  const entries = Object.entries(members);
  const tables = entries.flatMap(([name, value]) =>
    isTable(value) ? [`${name}\n${tableText(value)}`] : [],
  );
  const others = entries.filter(([, value]) => !isTable(value));
  const lines = others.length > 0 ? [linesText(Object.fromEntries(others))] : [];
  return [...lines, ...tables].join('\n');
}

/** An array, or the array `data` of a page, is a table; all else is a line for each value, and a table for each list of objects. */
export function answerText(answer: unknown): string {
  if (Array.isArray(answer)) return tableText(answer);
  const { data, ...others } = answer as Members;
  if (!Array.isArray(data)) return membersText(answer as Members);
  return `${tableText(data)}\n${membersText(others)}`;
}
