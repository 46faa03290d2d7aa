/**
 * Hints of what a client is going to filter by: files that cannot hold such rows are left out. Only
 * comparisons of the partitions' date with a date count. Whatever else a hint says rules nothing
 * out, as the protocol has it: the client filters all rows itself. Pure.
 */

/** First and last day of the rows of a file. */
export interface FileDays {
  readonly first: string;
  readonly last: string;
}

type DayTest = (days: FileDays, value: string) => boolean;

/** By the words of the JSON form. */
const TESTS: Readonly<Record<string, DayTest>> = {
  equal: ({ first, last }, value) => first <= value && value <= last,
  lessThan: ({ first }, value) => first < value,
  lessThanOrEqual: ({ first }, value) => first <= value,
  greaterThan: ({ last }, value) => last > value,
  greaterThanOrEqual: ({ last }, value) => last >= value,
};

const SQL_WORDS: Readonly<Record<string, string>> = {
  '=': 'equal',
  '<': 'lessThan',
  '<=': 'lessThanOrEqual',
  '>': 'greaterThan',
  '>=': 'greaterThanOrEqual',
};

const DEPTH_MAX = 20;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

interface Node {
  readonly op?: unknown;
  readonly children?: unknown;
  readonly name?: unknown;
  readonly value?: unknown;
}

function nodeOf(value: unknown): Node {
  return typeof value === 'object' && value !== null ? value : {};
}

function mayCompare(op: string, [one, other]: readonly Node[], column: string, days: FileDays) {
  const test = Object.hasOwn(TESTS, op) ? TESTS[op] : undefined;
  const isOfDays = one?.op === 'column' && `${one.name}`.toLowerCase() === column.toLowerCase();
  if (!test || !isOfDays || other?.op !== 'literal') return true;
  return typeof other.value !== 'string' || !DATE.test(other.value) || test(days, other.value);
}

function mayHold(node: Node, column: string, days: FileDays, depth: number): boolean {
  const { op, children } = node;
  if (typeof op !== 'string' || !Array.isArray(children) || depth > DEPTH_MAX) return true;
  const nodes = children.map(nodeOf);
  const holds = (each: Node) => mayHold(each, column, days, depth + 1);
  if (op === 'and') return nodes.every(holds);
  if (op === 'or') return nodes.length === 0 || nodes.some(holds);
  return mayCompare(op, nodes, column, days);
}

const SQL_COMPARISON =
  /^\s*`?(\w+)`?\s*(<=|>=|=|<|>)\s*(?:DATE\s*)?['"](\d{4}-\d{2}-\d{2})['"]\s*$/i;

function nodeOfSql(text: string): Node {
  const [, name, sign = '', value] = SQL_COMPARISON.exec(text) ?? [];
  const children = [
    { op: 'column', name },
    { op: 'literal', value },
  ];
  return { op: SQL_WORDS[sign], children };
}

function nodeOfJson(text: string): Node {
  try {
    return nodeOf(JSON.parse(text));
  } catch {
    return {};
  }
}

export interface Hints {
  /** Comparisons in SQL, all of which are to hold. */
  readonly predicateHints: readonly string[];
  /** A tree of comparisons in JSON; null: there is none. */
  readonly jsonPredicateHints: string | null;
}

/**
 * A test if a file may hold rows that the hints ask for; `column` is the date of partitions, if
 * they have one.
 */
export function hintTest(
  { predicateHints, jsonPredicateHints }: Hints,
  column: string | null,
): (days: FileDays) => boolean {
  if (column === null) return () => true;
  const nodes = predicateHints.map(nodeOfSql);
  if (jsonPredicateHints !== null) nodes.push(nodeOfJson(jsonPredicateHints));
  return (days) => nodes.every((node) => mayHold(node, column, days, 0));
}
