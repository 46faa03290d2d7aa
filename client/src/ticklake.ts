/** The client: where the service is, and who asks. */
import { Dataset } from './dataset.ts';
import { TicklakeError } from './errors.ts';
import type { Exact } from './exact-json.ts';
import { type ChainOptions, OptionChainQuery } from './option-chain.ts';
import { Query, type ReadOptions } from './query.ts';
import { Transport } from './transport.ts';
import type {
  DataScan,
  DatasetList,
  FoundSecurities,
  Quotas,
  ResolvedSymbols,
  SystemStatus,
} from './types.ts';
import {
  askedFor,
  type Dates,
  type Id,
  type Kind,
  type Market,
  usualDataset,
} from './usual-datasets.ts';
import type { Row } from './values.ts';
import { kept } from './waiting.ts';

export interface TicklakeOptions {
  /** The service's address, such as `http://127.0.0.1:8080`; with a path, that of the interface. */
  readonly url: string | URL;
  /** An API key. */
  readonly key: string;
  /** Default: the runtime's own. */
  readonly fetch?: typeof fetch;
  /** Attempts of a request after the first one. Default: 4. */
  readonly maxRetries?: number;
  /** A wait that would be longer is an error at once. Default: two minutes. */
  readonly maxWaitMs?: number;
  /** The first wait where the service names none, of up to 8 seconds. Default: half a second. */
  readonly firstWaitMs?: number;
  /** The longest silence before an answer and within it. Default: 90 seconds. */
  readonly timeoutMs?: number;
  /** Called with warnings, such as of identifiers without rows. Default: `console.warn`. */
  readonly warn?: (message: string) => void;
}

export interface ResolveOptions {
  /** The kind of the symbols. Default: tickers. */
  readonly type?: ResolvedSymbols['type'];
  /** First and last date, `YYYY-MM-DD`. Default: all there are. */
  readonly start?: string;
  readonly end?: string;
}

export type PathOptions = Pick<ReadOptions, 'limit' | 'pageRows' | 'signal'>;

export interface UsualOptions extends ReadOptions {
  /** Default: equity. */
  readonly market?: Market;
  /** A dataset to read in place of the usual one of its kind and market. */
  readonly dataset?: string;
}

const DEFAULT_PREFIX = '/v1';
const DEFAULTS = {
  ...{ maxRetries: 4, maxWaitMs: 120_000, firstWaitMs: 500, timeoutMs: 90_000 },
  // biome-ignore lint/suspicious/noConsole: programs may give another function
  warn: (message: string) => console.warn(message),
};

function baseOf(text: string | URL): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new TicklakeError(`'url' has to be such as http://127.0.0.1:8080, not '${text}'`);
  }
  const base = new URL(url.origin);
  const path = url.pathname.replace(/\/+$/, '');
  base.pathname = path === '' ? DEFAULT_PREFIX : path;
  return base;
}

export class Ticklake {
  readonly #transport: Transport;
  #list = this.#newList();

  constructor({ url, key, ...given }: TicklakeOptions) {
    if (!/^[\x21-\x7e]+$/.test(key)) throw new TicklakeError("'key' has to be an API key");
    const own = given.fetch ?? globalThis.fetch;
    // Browsers refuse to call it as a method of anything else.
    const send: typeof fetch = (input, init) => own(input, init);
    this.#transport = new Transport({ ...DEFAULTS, ...given, base: baseOf(url), key, fetch: send });
  }

  /** The address of the interface. */
  get url(): string {
    return this.#transport.urlOf('').href.replace(/\/$/, '');
  }

  /** By its id, such as `US1032`, or its text id, such as `eq_taq`. */
  dataset<R = Row>(name: string): Dataset<R> {
    return new Dataset<R>(name, this.#transport, () => this.#list());
  }

  /** The rows of a path and query: `us-equity/eq-taq/2026-11-20/AVQX?columns=Price`. */
  path<R = Row>(text: string, options: PathOptions = {}): Query<R> {
    const [path = '', query = ''] = text.split('?', 2);
    const parameters = [...new URLSearchParams(query)];
    const about = { dataset: text };
    // The service tells which dataset the path leads to, and refuses what the request would refuse.
    const form = kept(async (signal?: AbortSignal) => {
      const given = { signal, about };
      const scan = await this.#transport.json<DataScan>(`data-scan/${path}`, parameters, given);
      return this.dataset(scan.dataset_id).form(signal);
    });
    const requested = async () => ({ path: `data/${path}`, parameters });
    return new Query<R>(this.#transport, { name: text, form }, options, requested);
  }

  /** Every dataset of the catalogue. */
  async datasets(): Promise<DatasetList> {
    this.#list = this.#newList();
    return this.#list();
  }

  /** Ticks of these identifiers and days. */
  ticks<R = Row>(ids: Id | readonly Id[], dates: Dates, options: UsualOptions = {}): Query<R> {
    return this.#usual<R>('ticks', ids, dates, options);
  }

  /** Minute bars; without `dates`, of the dataset's look-back window. */
  bars<R = Row>(ids: Id | readonly Id[], dates?: Dates, options: UsualOptions = {}): Query<R> {
    return this.#usual<R>('bars', ids, dates, options);
  }

  /** Daily values; without `dates`, of the dataset's look-back window. */
  daily<R = Row>(ids?: Id | readonly Id[], dates?: Dates, options: UsualOptions = {}): Query<R> {
    return this.#usual<R>('daily', ids, dates, options);
  }

  /** The securities that at most 100 symbols stood for, by dates, and what they became. */
  async resolve(
    symbols: Id | readonly Id[],
    { type = 'Ticker', start, end }: ResolveOptions = {},
  ): Promise<Exact<ResolvedSymbols>> {
    const dates = Object.entries({ start, end }).filter(([, date]) => date !== undefined);
    return await this.#transport.json('symbology/resolve', [
      ['symbols', [symbols].flat().join(',')],
      ['type', type],
      ...(dates as [string, string][]),
    ]);
  }

  /** The best securities by the beginning of a ticker, a word of a name, or a number. */
  async search(
    text: string,
    { limit = 10 }: { readonly limit?: number } = {},
  ): Promise<Exact<FoundSecurities>['securities']> {
    const parameters = [['q', text] as const, ['limit', `${limit}`] as const];
    const found = await this.#transport.json<Exact<FoundSecurities>>(
      'symbology/search',
      parameters,
    );
    return found.securities;
  }

  /**
   * The option contracts on an underlying at the end of stock trading, or at a moment: all of them,
   * from one version of each dataset. Nothing is sent before they are read.
   */
  optionChain(underlying: string, when: ChainOptions): OptionChainQuery {
    return new OptionChainQuery(this.#transport, underlying, when);
  }

  /** The state of the service, and its version. */
  status(): Promise<SystemStatus> {
    return this.#transport.json('status');
  }

  /** Usage and limits of the account. */
  quotas(): Promise<Quotas> {
    return this.#transport.json('account/my/quotas');
  }

  #usual<R>(
    kind: Kind,
    ids: Id | readonly Id[] | undefined,
    dates: Dates | undefined,
    { market = 'equity', dataset, ...options }: UsualOptions,
  ): Query<R> {
    const choose = async () => {
      const mine = await this.#transport.json<DatasetList>('meta/datasets/my');
      const { name, note } = usualDataset(kind, market, mine);
      asked.note = note;
      return name;
    };
    const form = kept(async (signal?: AbortSignal) =>
      this.dataset(dataset ?? (await choose())).form(signal),
    );
    const asked = askedFor(kind, form, ids, dates);
    return new Query<R>(this.#transport, asked, options);
  }

  #newList(): () => Promise<DatasetList> {
    return kept(() => this.#transport.json<DatasetList>('meta/datasets'));
  }
}
