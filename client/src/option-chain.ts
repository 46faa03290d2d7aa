/** Option chains, along all of their pages. */
import { TicklakeError } from './errors.ts';
import type { Exact } from './exact-json.ts';
import type { Transport } from './transport.ts';
import type { OptionChain as Answer, OptionChainContract } from './types.ts';
import { type ReadValue, valueReader } from './values.ts';
import { kept } from './waiting.ts';

/** Both ends included, either left out. */
export interface Bounds<T> {
  readonly from?: T;
  readonly to?: T;
}

/** Either `date` or `at` says when. */
export interface ChainOptions {
  /** A trade date, `YYYY-MM-DD`: the chain as stock trading ends. */
  readonly date?: string;
  /** A moment, such as `2026-10-16T11:30:00`, by the market's clock or with an offset. */
  readonly at?: string;
  readonly root?: string;
  /** The day of expiration, or the first and the last one. */
  readonly expiration?: string | Bounds<string>;
  /** The strike price in dollars, or the lowest and the highest one. */
  readonly strike?: number | Bounds<number>;
  /** Only calls, or only puts. */
  readonly callPut?: OptionChainContract['call_put'];
  /** Version of the ticks. Default: the current one. */
  readonly version?: number;
  readonly contractsVersion?: number;
  readonly greeksVersion?: number;
  /** The versions of this time, where none is given by its number. */
  readonly asOf?: Date | string;
  /** Contracts of one answer. Default: as many as the service gives. */
  readonly pageContracts?: number;
  readonly signal?: AbortSignal;
}

type Parameters = Readonly<Record<string, string | number | undefined>>;

function boundsOf<T extends string | number>(
  name: string,
  asked: T | Bounds<T> | undefined,
): Parameters {
  if (typeof asked !== 'object') return { [name]: asked };
  return { [`${name}.ge`]: asked.from, [`${name}.le`]: asked.to };
}

function parametersOf(underlying: string, options: ChainOptions): Parameters {
  const { asOf } = options;
  return {
    underlying,
    date: options.date,
    at: options.at,
    root: options.root,
    ...boundsOf('expiration', options.expiration),
    ...boundsOf('strike', options.strike),
    call_put: options.callPut,
    limit: options.pageContracts,
    dataset_version: options.version,
    contracts_version: options.contractsVersion,
    greeks_version: options.greeksVersion,
    as_of: asOf instanceof Date ? asOf.toISOString() : asOf,
  };
}

const VERSIONS = {
  ticks: 'dataset_version',
  contracts: 'contracts_version',
  greeks: 'greeks_version',
} as const;

/** Parameters that hold the pages that follow to the versions of the first one. */
function pinsOf({ sources }: Exact<Answer>): Parameters {
  return Object.fromEntries(
    sources.map(({ role, dataset_version: version }) => [VERSIONS[role], version ?? undefined]),
  );
}

const TIMES = ['bid_time', 'ask_time', 'last_trade_time'] as const;

/** Integers and times are `bigint`, times in nanoseconds since 1970 in UTC, as they are in rows. */
export type ChainContract = {
  readonly [Name in keyof OptionChainContract]: Name extends (typeof TIMES)[number]
    ? bigint | null
    : Exact<OptionChainContract>[Name];
};

/** The answer without its contracts. */
export type ChainInfo = Omit<Exact<Answer>, 'contracts' | 'pagination'>;

interface Chain {
  readonly info: ChainInfo;
  readonly contracts: readonly ChainContract[];
}

function typed(contract: Exact<OptionChainContract>, readTime: ReadValue): ChainContract {
  const times = TIMES.map((name) => [
    name,
    contract[name] === null ? null : readTime(contract[name]),
  ]);
  return { ...contract, ...Object.fromEntries(times) } as ChainContract;
}

/** A chain that is sent for when somebody reads it, and once. */
export class OptionChainQuery implements AsyncIterable<ChainContract> {
  readonly #whole: () => Promise<Chain>;

  /** Made by `Ticklake`. */
  constructor(transport: Transport, underlying: string, options: ChainOptions) {
    this.#whole = kept(() => readChain(transport, underlying, options));
  }

  async toArray(): Promise<readonly ChainContract[]> {
    return (await this.#whole()).contracts;
  }

  /** The underlying and its quote, the moment, expirations, and the versions that were read. */
  async info(): Promise<ChainInfo> {
    return (await this.#whole()).info;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ChainContract> {
    yield* await this.toArray();
  }
}

/** The whole chain. Rejects as every request does. */
async function readChain(
  transport: Transport,
  underlying: string,
  options: ChainOptions,
): Promise<Chain> {
  const rest = options.signal ? { signal: options.signal } : {};
  const ask = (parameters: Parameters) => {
    const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
    const query = given.map(([name, value]) => [name, String(value)] as const);
    return transport.json<Exact<Answer>>('symbology/option-chain', query, rest);
  };
  const asked = parametersOf(underlying, options);
  const first = await ask(asked);
  const contracts = [...first.contracts];
  let last = first;
  while (last.pagination.next_offset !== null) {
    last = await ask({ ...asked, ...pinsOf(first), offset: last.pagination.next_offset });
    contracts.push(...last.contracts);
  }
  if (contracts.length !== first.contract_count) {
    throw new TicklakeError(
      `The service gave ${contracts.length} contracts of ${first.contract_count}`,
    );
  }
  const { contracts: _, pagination: __, ...info } = first;
  const readTime = valueReader('date-time');
  return { info, contracts: contracts.map((contract) => typed(contract, readTime)) };
}
