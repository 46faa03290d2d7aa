/** The computations of derived datasets by name, and the inputs of each. */

/** Tables of the conditions in the first input's `ConditionCode`. */
export type ConditionKind = 'trade' | 'quote';

interface ComputationMeaning {
  /** Kinds of its inputs, the driving one first. */
  readonly inputs: readonly string[];
  /** A sentence, quoted in docs/dataset-definitions.md. */
  readonly sentence: string;
  /** Tables that decide over its rows; absent: none does. */
  readonly conditions?: readonly ConditionKind[];
  /** True if it drops rows, so that a condition of the input may have no row left. */
  readonly isSelection?: boolean;
  /** True if its rows and the first input's are one whole; absent: cut by dates. */
  readonly isWhole?: boolean;
  /** Numbers that a definition has to state, by name, with a sentence on each. */
  readonly parameters?: Readonly<Record<string, string>>;
}

const TABLE = {
  trade_ticks: {
    inputs: ['ticks'],
    sentence: 'the trades among ticks of trades and quotes, and their cancellations',
    isSelection: true,
  },
  equity_trade_bars: {
    inputs: ['trades'],
    sentence: 'minute bars of equity trades',
    conditions: ['trade'],
  },
  equity_quote_bars: {
    inputs: ['ticks', 'daily prices'],
    sentence: 'minute bars of equity quotes and trades',
    conditions: ['trade', 'quote'],
  },
  equity_extended_bars: {
    inputs: ['ticks', 'daily prices'],
    sentence: 'minute bars of equity quotes and trades with the extended measures',
    conditions: ['trade', 'quote'],
  },
  equity_day_bars: {
    inputs: ['ticks', 'daily prices'],
    sentence: 'the measures of the quote bars over the whole day of an equity',
    conditions: ['trade', 'quote'],
  },
  equity_daily_prices: {
    inputs: ['trades'],
    sentence: 'daily prices and volumes of equities',
    conditions: ['trade'],
  },
  equity_prices_of_bars: {
    inputs: ['bars'],
    sentence: 'daily prices and volumes of equities, put together of their minute bars of trades',
  },
  adjusted_rows: {
    inputs: ['rows', 'adjustment factors'],
    sentence: 'rows restated by the adjustment factors with a later effective date',
  },
  adjustment_factors: {
    inputs: ['corporate events', 'daily prices', 'announcements'],
    sentence: 'one factor for each corporate event, as it is stated or by the terms of the event',
    isWhole: true,
  },
  cumulative_factors: {
    inputs: ['adjustment factors'],
    sentence: 'the products of the factors of a security, before and after each of its events',
    isWhole: true,
  },
  symbol_lookup: {
    inputs: ['symbols by ASID'],
    sentence: 'symbols by SecId, where a chain of symbols is one security',
    isWhole: true,
  },
  security_master: {
    inputs: ['symbols by SecId', 'symbols by ASID'],
    sentence: 'the securities, with the symbols that they have had',
    isWhole: true,
  },
  futures_trade_bars: {
    inputs: ['trades'],
    sentence: 'minute bars of futures trades',
  },
  futures_quote_bars: {
    inputs: ['ticks'],
    sentence: 'minute bars of futures quotes and trades',
  },
  futures_daily_values: {
    inputs: ['ticks', 'bars'],
    sentence:
      'daily prices, volumes and statistics of futures contracts; prices of the bars where the ticks tell no trade',
  },
  bars_by_date: {
    inputs: ['bars'],
    sentence: 'the bars of a date put together to one, by `intervals` of the bars',
  },
  option_trade_ticks: {
    inputs: ['ticks'],
    sentence:
      'the trades among ticks of options, and their cancellations, with the quotes that stood then',
    isSelection: true,
  },
  option_trade_bars: {
    inputs: ['trades'],
    sentence: 'minute bars of the trades of option contracts',
  },
  option_greeks: {
    inputs: ['ticks', 'adjustment factors'],
    sentence: 'implied volatility and sensitivities of option contracts at the end of the day',
    parameters: { interest_rate: 'continuous, a year: 0.04 is four percent' },
  },
} as const satisfies Readonly<Record<string, ComputationMeaning>>;

export type ComputationName = keyof typeof TABLE;
export const COMPUTATION_NAMES = Object.keys(TABLE) as [ComputationName, ...ComputationName[]];
export const COMPUTATION_MEANINGS: Readonly<Record<ComputationName, ComputationMeaning>> = TABLE;

/** One way in which a dataset's rows are computed. */
export interface DerivationWay {
  readonly computation: ComputationName;
  /** Text ids of datasets, in the order of the computation's inputs. */
  readonly inputs: readonly string[];
  /** Options of the computation by name; absent: none. */
  readonly parameters?: Readonly<Record<string, number>>;
}

/** How a dataset's rows are computed. */
export interface Derivation extends DerivationWay {
  /** On dates for which the first input has no part; absent: such dates have no rows. */
  readonly otherwise?: DerivationWay;
}

/** All ways, the preferred one first. */
export function waysOf(derivation: Derivation): readonly [DerivationWay, ...DerivationWay[]] {
  const { otherwise } = derivation;
  return otherwise ? [derivation, otherwise] : [derivation];
}

/** Text ids of the inputs of all ways; none of a dataset whose rows are loaded. */
export function inputsOf({
  derivation,
}: {
  readonly derivation: Derivation | null;
}): readonly string[] {
  return derivation ? waysOf(derivation).flatMap(({ inputs }) => inputs) : [];
}

/** True if its rows are another dataset's, restated by adjustment factors. */
export function isRestatable({ derivation }: { readonly derivation: Derivation | null }): boolean {
  return derivation?.computation === 'adjusted_rows';
}
