/** The checks that a definition states, one by one and by name. */
import { type Bound, type DatasetCheck, relationOf } from './checks.ts';
import type { Definition } from './definition.ts';

type Entry = NonNullable<Definition['checks']>[number];
type Named = Pick<DatasetCheck, 'name' | 'rule'>;

const DAYS_AHEAD = 1;
const DAY_SECONDS = 86_400;
const NOON_SECONDS = DAY_SECONDS / 2;

/** Sessions that begin at noon or later begin on the evening before their date. */
function beforeMidnightSeconds(begins: string): number {
  const [hours = 0, minutes = 0] = begins.split(':').map(Number);
  const seconds = hours * 3600 + minutes * 60;
  return seconds >= NOON_SECONDS ? DAY_SECONDS - seconds : 0 - seconds;
}

function rangeName(column: string, min: Bound | null, max: Bound | null) {
  if (min === null) return `${column} <= ${max}`;
  return max === null ? `${column} >= ${min}` : `${min} <= ${column} <= ${max}`;
}

function rangesOf({ range = [], ...bounds }: Entry): Named[] {
  const { min = null, max = null }: { min?: Bound | null; max?: Bound | null } = bounds;
  return range.map((column) => {
    return { name: rangeName(column, min, max), rule: { kind: 'range', column, min, max } };
  });
}

function relationsOf({ relations = [] }: Entry): Named[] {
  return relations.flatMap((text) => {
    const relation = relationOf(text);
    if (!relation) return [];
    const { left, operator, right } = relation;
    return { name: `${left} ${operator} ${right}`, rule: { kind: 'relation', ...relation } };
  });
}

function sessionsOf({ session = [], begins = '00:00' }: Entry, dateColumn: string | null): Named[] {
  if (dateColumn === null) return [];
  return session.map((column) => ({
    name: `session ${column}`,
    rule: {
      kind: 'session',
      column,
      dateColumn,
      beforeMidnightSeconds: beforeMidnightSeconds(begins),
    },
  }));
}

function namedOf(entry: Entry, dateColumn: string | null): Named[] {
  const { keys, required = [], trading_days: tradingDays = [], latest = [] } = entry;
  const daysAhead = entry.days_ahead ?? DAYS_AHEAD;
  return [
    ...(keys ? [{ name: `keys ${keys.join(', ')}`, rule: { kind: 'keys', columns: keys } }] : []),
    ...required.map((column) => ({
      name: `required ${column}`,
      rule: { kind: 'required', column },
    })),
    ...rangesOf(entry),
    ...relationsOf(entry),
    ...sessionsOf(entry, dateColumn),
    ...tradingDays.map((column) => ({
      name: `trading_days ${column}`,
      rule: { kind: 'trading_days', column },
    })),
    ...latest.map((column) => ({
      name: `latest ${column}`,
      rule: { kind: 'latest', column, daysAhead },
    })),
  ] as Named[];
}

/** The checks of a definition that has been found legal. */
export function checksOf({ checks = [], date_column: dateColumn }: Definition): DatasetCheck[] {
  return checks.flatMap((entry) => {
    const severity = entry.on_failure ?? 'refuse';
    return namedOf(entry, dateColumn ?? null).map((named) => ({ ...named, severity }));
  });
}
