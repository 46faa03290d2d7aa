/** Securities by the beginning of a ticker, a word of a name, or a number: for completion. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Dated, endOf, type Security } from './security.ts';

export const MATCHED_FIELDS = ['Ticker', 'Name', 'ASID', 'SecId'] as const;

export interface FoundSecurity {
  readonly security: Security;
  /** The name or symbol that begins so. */
  readonly field: (typeof MATCHED_FIELDS)[number];
  readonly value: string;
}

/** A text by which a security is found, and its place in `RANKS`. */
interface Entry extends FoundSecurity {
  readonly key: string;
  readonly rank: number;
}

/** Kinds of entries, the best first; a whole ticker beats all. */
const RANKS = { now: 0, name: 1, pastTicker: 2, word: 3, pastName: 4, number: 5 } as const;
const ALL_RANKS = Object.values(RANKS);
const TICKER_RANKS = [RANKS.now, RANKS.pastTicker];

const folded = (text: string) => text.normalize('NFKC').toLowerCase();

function tickerEntries(security: Security): Entry[] {
  return security.tickers.map(({ value, end }) => {
    const rank = endOf(end) === null ? RANKS.now : RANKS.pastTicker;
    return { security, field: 'Ticker', value, key: folded(value), rank };
  });
}

/** A name is found by each of its words, up to its end. */
function nameEntries(security: Security): Entry[] {
  const last = security.names.at(-1);
  return security.names.flatMap((name: Dated) => {
    const key = folded(name.value);
    return [...key.matchAll(/[\p{L}\p{N}]+/gu)].map(({ index }) => {
      const rank = name !== last ? RANKS.pastName : index === 0 ? RANKS.name : RANKS.word;
      return { security, field: 'Name', value: name.value, key: key.slice(index), rank } as const;
    });
  });
}

function numberEntries(security: Security): Entry[] {
  const { asid, secId } = security;
  const numbers = [['ASID', asid] as const, ['SecId', secId] as const];
  return numbers.flatMap(([field, number]) =>
    number === null
      ? []
      : [{ security, field, value: `${number}`, key: `${number}`, rank: RANKS.number }],
  );
}

function entriesOf(security: Security): Entry[] {
  return [...tickerEntries(security), ...nameEntries(security), ...numberEntries(security)];
}

const byKey = (a: Entry, b: Entry) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);

/** The entries whose keys begin with the same letters, each rank's in the order of their keys. */
type Bucket = readonly Entry[][];

/** So many that the entries of a bucket are sorted in one turn. */
const BUCKET_LETTERS = 2;

/** Securities whose entries are made before other requests have their turn. */
const SECURITIES_PER_TURN = 200;

/** The place of the first entry whose key is not before the text. */
function firstFrom(entries: readonly Entry[], text: string): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle] as Entry).key < text) low = middle + 1;
    else high = middle;
  }
  return low;
}

export class SecuritySearch {
  /** In the order of their letters. */
  readonly #buckets: ReadonlyMap<string, Bucket>;

  private constructor(buckets: ReadonlyMap<string, Bucket>) {
    this.#buckets = buckets;
  }

  static async of(securities: readonly Security[]): Promise<SecuritySearch> {
    const buckets = new Map<string, Bucket>();
    for (const [at, security] of securities.entries()) {
      if (at % SECURITIES_PER_TURN === 0) await nextTurn();
      for (const entry of entriesOf(security)) {
        const letters = entry.key.slice(0, BUCKET_LETTERS);
        const bucket = buckets.getOrInsertComputed(letters, () => ALL_RANKS.map(() => []));
        bucket[entry.rank]?.push(entry);
      }
    }
    for (const bucket of buckets.values()) {
      await nextTurn();
      for (const entries of bucket) entries.sort(byKey);
    }
    return new SecuritySearch(new Map([...buckets].sort(([a], [b]) => (a < b ? -1 : 1))));
  }

  /** The entries of a rank that the prefix begins, in the order of their keys. */
  *#beginning(prefix: string, rank: number): Iterable<Entry> {
    const letters = prefix.slice(0, BUCKET_LETTERS);
    for (const [name, bucket] of this.#buckets) {
      if (!name.startsWith(letters)) continue;
      const entries = bucket[rank] as readonly Entry[];
      for (let at = firstFrom(entries, prefix); at < entries.length; at++) {
        const entry = entries[at] as Entry;
        if (!entry.key.startsWith(prefix)) break;
        yield entry;
      }
    }
  }

  /** The best first; an entry may come twice. */
  *#ranked(prefix: string): Iterable<Entry> {
    for (const rank of TICKER_RANKS) {
      for (const entry of this.#beginning(prefix, rank)) {
        if (entry.key !== prefix) break;
        yield entry;
      }
    }
    for (const rank of ALL_RANKS) yield* this.#beginning(prefix, rank);
  }

  /** The best `limit` securities, each once; ignores case and width of letters. */
  find(text: string, limit: number): FoundSecurity[] {
    const prefix = folded(text.trim());
    const best = new Map<Security, Entry>();
    if (prefix === '') return [];
    for (const entry of this.#ranked(prefix)) {
      if (!best.has(entry.security)) best.set(entry.security, entry);
      if (best.size === limit) break;
    }
    return [...best.values()];
  }
}
