/** Securities by the beginning of a ticker, a word of a name, or a number: for completion. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Dated, endOf, type Security } from './security.ts';

export const MATCHED_FIELDS = ['Ticker', 'Name', 'ASID', 'SecId'] as const;

export interface FoundSecurity {
  readonly security: Security;
  /** What of it begins so. */
  readonly field: (typeof MATCHED_FIELDS)[number];
  readonly value: string;
}

/** A text by which a security is found, and how good a find it is: the least number is the best. */
interface Entry extends FoundSecurity {
  readonly key: string;
  readonly rank: number;
}

/** Ranks of what the text begins; a whole ticker goes before all. */
const RANKS = { now: 1, name: 2, pastTicker: 3, word: 4, pastName: 5, number: 6 } as const;

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

/** Entries lie together by so many of their first letters, and again by the first one alone. */
const BUCKET_LETTERS = [1, 2] as const;

/** Securities whose entries are made before other requests have their turn. */
const SECURITIES_PER_TURN = 200;

export class SecuritySearch {
  readonly #buckets: ReadonlyMap<string, readonly Entry[]>;

  private constructor(buckets: ReadonlyMap<string, readonly Entry[]>) {
    this.#buckets = buckets;
  }

  static async of(securities: readonly Security[]): Promise<SecuritySearch> {
    const buckets = new Map<string, Entry[]>();
    for (const [at, security] of securities.entries()) {
      if (at % SECURITIES_PER_TURN === 0) await nextTurn();
      for (const entry of entriesOf(security)) {
        for (const letters of BUCKET_LETTERS) {
          const name = entry.key.slice(0, letters);
          if (name.length < letters) continue;
          const bucket = buckets.get(name);
          if (bucket) bucket.push(entry);
          else buckets.set(name, [entry]);
        }
      }
    }
    return new SecuritySearch(buckets);
  }

  /** The best `limit` securities, each once, the best first; case and width of letters count for nothing. */
  find(text: string, limit: number): FoundSecurity[] {
    const prefix = folded(text.trim());
    const rankOf = (entry: Entry) =>
      entry.field === 'Ticker' && entry.key === prefix ? entry.rank - RANKS.number : entry.rank;
    const bucket = this.#buckets.get(prefix.slice(0, 2)) ?? [];
    const found = bucket
      .filter(({ key }) => key.startsWith(prefix))
      .sort((a, b) => rankOf(a) - rankOf(b) || byKey(a, b));
    const best = new Map<Security, Entry>();
    for (const entry of found) {
      if (best.size === limit) break;
      if (!best.has(entry.security)) best.set(entry.security, entry);
    }
    return [...best.values()];
  }
}
