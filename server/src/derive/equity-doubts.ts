/** What an equity's ticks of a day hold that its bars are made without: each a warning. */
import { UNKNOWN_QUOTE_BITS, UNKNOWN_TRADE_BITS } from '@ticklake/market/conditions.ts';
import { EQUITY_EVENT_TYPES } from '@ticklake/market/events.ts';
import { counted } from '../base/counted.ts';
import type { Codes, Doubles } from '../engine/gathered-columns.ts';
import type { InstrumentDay } from './instrument-days.ts';

const KNOWN_TYPES: ReadonlySet<string | null> = new Set(EQUITY_EVENT_TYPES);

type EventKind = 'trade' | 'quote' | 'best quote' | 'unknown';

function kindOf(type: string | null): EventKind {
  if (!KNOWN_TYPES.has(type)) return 'unknown';
  if (type?.startsWith('T')) return 'trade';
  return type?.endsWith(' NB') ? 'best quote' : 'quote';
}

/** The kinds of events by the codes of their types, each found once: a day may have millions of events. */
class EventKinds {
  readonly #types: Codes;
  readonly #kinds = new Map<number, EventKind>();
  /** Neighbours are mostly of one type. */
  #last: { readonly code: number; readonly kind: EventKind };

  constructor(types: Codes) {
    this.#types = types;
    this.#last = { code: Number.NaN, kind: 'unknown' };
  }

  at(i: number): EventKind {
    const code = this.#types.codeAt(i);
    if (this.#last.code === code) return this.#last.kind;
    const kind = this.#kinds.get(code) ?? kindOf(this.#types.textAt(i));
    this.#kinds.set(code, kind);
    this.#last = { code, kind };
    return kind;
  }
}
const MASK_MAX = 2 ** 32 - 1;

interface Doubts {
  unpricedTradeCount: number;
  quoteCount: number;
  bestQuoteCount: number;
  readonly unknownTypes: Map<string | null, number>;
  /** Those that have unknown bits, and how many events have them. */
  readonly unknownConditions: Map<string, number>;
}

function countIn<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** Null conditions are none. */
function hasUnknown(mask: number, unknownBits: number): boolean {
  return mask > MASK_MAX || mask < 0 || (mask & unknownBits) !== 0;
}

function doubtsOf({ events }: InstrumentDay): Doubts {
  const [types] = events.texts as [Codes];
  const kinds = new EventKinds(types);
  const [prices, , conditions] = events.numbers as [Doubles, Doubles, Doubles];
  const unknownTypes = new Map<string | null, number>();
  const unknownConditions = new Map<string, number>();
  const counts = { trade: 0, quote: 0, 'best quote': 0, unknown: 0 };
  let unpricedTradeCount = 0;
  for (let i = 0; i < events.length; i++) {
    const kind = kinds.at(i);
    counts[kind]++;
    if (kind === 'unknown') {
      countIn(unknownTypes, types.textAt(i));
      continue;
    }
    const isTrade = kind === 'trade';
    if (isTrade && !(prices.at(i) > 0)) unpricedTradeCount++;
    const mask = conditions.at(i);
    if (hasUnknown(mask, isTrade ? UNKNOWN_TRADE_BITS : UNKNOWN_QUOTE_BITS)) {
      countIn(unknownConditions, `the ${isTrade ? 'trade' : 'quote'} conditions ${mask}`);
    }
  }
  const { quote: quoteCount, 'best quote': bestQuoteCount } = counts;
  return { unpricedTradeCount, quoteCount, bestQuoteCount, unknownTypes, unknownConditions };
}

/** The most frequent one, and how many others there are, so that a warning stays a line. */
function mostOf<K>(counts: ReadonlyMap<K, number>) {
  const [most] = [...counts].sort(([, a], [, b]) => b - a);
  if (!most) return null;
  const others = counts.size > 1 ? `, and ${counts.size - 1} more such` : '';
  return { what: most[0], events: `${counted(most[1], 'event')}${others}` };
}

/** In words. */
export function equityDoubts(day: InstrumentDay): string[] {
  const { asid, otherAsid } = day;
  const found = doubtsOf(day);
  const { unpricedTradeCount, quoteCount, bestQuoteCount, unknownTypes, unknownConditions } = found;
  const [type, condition] = [mostOf(unknownTypes), mostOf(unknownConditions)];
  const doubts = [
    otherAsid !== null && `events of ASID ${otherAsid} and ${asid}; all count as those of ${asid}`,
    quoteCount > 0 &&
      bestQuoteCount === 0 &&
      'no quote is marked as the national best; bars have no bid and ask',
    unpricedTradeCount > 0 &&
      `${counted(unpricedTradeCount, 'trade')} without a price; no bar counts them`,
    type && `the unknown type ${type.what} of ${type.events}; no bar counts them`,
    condition && `unknown bits in ${condition.what} of ${condition.events}`,
  ];
  return doubts.filter((doubt) => typeof doubt === 'string');
}
