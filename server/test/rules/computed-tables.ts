/** The tables of docs/rules that are computed: each as the product's code computes it. */
import {
  ADJUSTMENT_COLUMNS,
  type AdjustmentChoice,
  adjustTable,
  buildFactorTable,
  factorTableOf,
} from '@ticklake/market/adjustment.ts';
import { type EventTerms, factorOfTerms } from '@ticklake/market/adjustment-factor.ts';
import { QUOTE_CONDITION_USES, TRADE_CONDITION_USES } from '@ticklake/market/condition-uses.ts';
import { AGGREGATION_LOGICS } from '@ticklake/market/conditions.ts';
import { factorIntervals } from '@ticklake/market/cumulative-factors.ts';
import { EQUITY_EXTENDED_BAR, EQUITY_TRADE_BAR } from '@ticklake/market/equity-bar.ts';
import { equityDailyBar, equityMinuteBars } from '@ticklake/market/equity-bars.ts';
import { equityDailyOhlc } from '@ticklake/market/equity-daily-ohlc.ts';
import {
  FUTURES_MINUTE_BAR,
  FUTURES_TRADE_BAR,
  futuresMinuteBars,
} from '@ticklake/market/futures-bars.ts';
import { futuresDayTable } from '@ticklake/market/futures-day.ts';
import { OPTION_ANALYTICS_COLUMNS, optionAnalytics } from '@ticklake/market/option-analytics.ts';
import { LEFT_OUT_CONDITIONS, optionMinuteBars } from '@ticklake/market/option-trade-bars.ts';
import type { BarTable, NumberTable } from '@ticklake/market/row-sources.ts';
import { SECURITY_MASTER_COLUMNS, securityMasterRow } from '@ticklake/market/security-master.ts';
import { historiesOfSymbols } from '@ticklake/market/symbol-chains.ts';
import {
  cellText,
  equityDayOf,
  futuresEventsOf,
  namedRows,
  optionTradesOf,
} from './example-ticks.ts';

export interface ComputedTable {
  readonly file: string;
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const EQUITIES = 'rules/equities.md';
const FUTURES = 'rules/futures.md';
const OPTIONS = 'rules/options.md';
const ADJUSTED = 'rules/adjusted-rows.md';
const FACTORS = 'rules/adjustment-factors.md';
const SECURITIES = 'rules/securities.md';
const CONDITIONS = 'rules/conditions.md';

/** 09:30. */
const BAR_START_NANOS = 34_200e9;

const QUOTE_BAR_COLUMNS = [
  'OpenBidPrice',
  'OpenAskPrice',
  'HighAskPrice',
  'HighAskTimeOffset',
  'CloseAskPrice',
  'MinSpread',
  'MaxSpread',
  'NBBOQuoteCount',
  'TimeWeightBid',
  'TimeWeightAsk',
  'Volume',
  'FinraVolume',
  'VolumeWeightPrice',
  'FinraVolumeWeightPrice',
  'CancelSize',
  'TradeAtBidMid',
  'TradeAtMid',
  'TradeAtMidAsk',
  'TradeAtAsk',
  'UptickVolume',
  'DowntickVolume',
  'UnknownTickVolume',
];
const DAY_BAR_COLUMNS = [
  'OpenBidPrice',
  'OpenAskPrice',
  'FirstTradePrice',
  'HighTradePrice',
  'LowTradePrice',
  'LastTradePrice',
  'TotalVolume',
  'FinraVolume',
  'TotalVolumeWeightPrice',
];
const FUTURES_QUOTE_COLUMNS = [
  'OpenBidPrice',
  'OpenAskPrice',
  'CloseAskPrice',
  'MinSpread',
  'MaxSpread',
  'TotalRegularQuotes',
  'NoAggressorQuantity',
];

/** One row for each column, with a cell for each of the computed tables. */
function rowsOf(
  columns: readonly string[],
  tables: readonly NumberTable[],
  rowIn: (table: NumberTable) => number,
): string[][] {
  return columns.map((column) => [
    column,
    ...tables.map((table) => cellText(table, column, rowIn(table))),
  ]);
}

function minuteOf(table: NumberTable): number {
  return (table as BarTable).startNanos.indexOf(BAR_START_NANOS);
}

function equityTables(): ComputedTable[] {
  const day = equityDayOf(EQUITIES);
  const bars = AGGREGATION_LOGICS.map((logic) =>
    equityMinuteBars(day, logic, [EQUITY_TRADE_BAR, EQUITY_EXTENDED_BAR]),
  );
  const tradeBars = bars.map(([trade]) => trade as BarTable);
  const quoteBars = bars.map(([, extended]) => extended as BarTable);
  const daily = AGGREGATION_LOGICS.map((logic) => equityDailyOhlc(day, logic));
  const header = (first: string) => [first, ...AGGREGATION_LOGICS];
  return [
    {
      file: EQUITIES,
      header: header('Trade bar'),
      rows: rowsOf(tradeBars[0]?.columns ?? [], tradeBars, minuteOf),
    },
    {
      file: EQUITIES,
      header: header('Quote bar'),
      rows: rowsOf(QUOTE_BAR_COLUMNS, quoteBars, minuteOf),
    },
    {
      file: EQUITIES,
      header: ['Day bar', 'vendor_default'],
      rows: rowsOf(DAY_BAR_COLUMNS, [equityDailyBar(day)], () => 0),
    },
    {
      file: EQUITIES,
      header: header('Daily prices'),
      rows: rowsOf(daily[0]?.columns ?? [], daily, () => 0),
    },
  ];
}

function futuresTables(): ComputedTable[] {
  const layouts = [FUTURES_TRADE_BAR, FUTURES_MINUTE_BAR];
  const events = futuresEventsOf(FUTURES);
  const [trade, quote] = futuresMinuteBars(events, layouts) as [BarTable, BarTable];
  const day = futuresDayTable(events);
  const table = (first: string, columns: readonly string[], bars: NumberTable) => ({
    file: FUTURES,
    header: [first, 'Value'],
    rows: rowsOf(columns, [bars], () => 0),
  });
  return [
    table('Trade bar', trade.columns, trade),
    table('Quote bar', FUTURES_QUOTE_COLUMNS, quote),
    table('Daily values', day.columns, day),
  ];
}

function optionAnalyticsTable(): ComputedTable {
  const quote = (price: number) => ({ price, nanosOfDay: 15 * 3600e9 });
  const [call, put] = [true, false].map((isCall) =>
    optionAnalytics({
      ...{ tradeDate: '2026-10-16', expiration: '2026-11-20', isHalfDay: false, isAmerican: true },
      ...{ isCall, strike: 100, underMid: 101, bid: quote(2.5), ask: quote(2.6) },
      ...{ rate: 0.04, dividendYield: 0.01 },
    }),
  );
  const columns = ['YearsToMaturity', 'LastMidPrice', 'MidImpliedVol', 'MidTheoPrice', 'MidDelta'];
  const shown = [...columns, 'MidGamma', 'MidTheta', 'MidVega', 'MidRho', 'ImpliedVolConvergence'];
  return {
    file: OPTIONS,
    header: ['Analytics', 'Call', 'Put'],
    rows: shown.map((name) => {
      const at = (OPTION_ANALYTICS_COLUMNS as readonly string[]).indexOf(name);
      return [name, `${call?.[at]}`, `${put?.[at]}`];
    }),
  };
}

function optionTables(): ComputedTable[] {
  const bars = optionMinuteBars(optionTradesOf(OPTIONS));
  return [
    {
      file: OPTIONS,
      header: ['Trade bar', 'Value'],
      rows: rowsOf(bars.columns, [bars], () => 0),
    },
    {
      file: OPTIONS,
      header: ['ConditionCode', 'Meaning'],
      rows: [...LEFT_OUT_CONDITIONS],
    },
    optionAnalyticsTable(),
  ];
}

const ROW_DATES = ['2014-05-07', '2014-06-06', '2014-06-09', '2014-08-06', '2014-08-07'];

function exampleEvents() {
  return namedRows(ADJUSTED, 'EffectiveDate', 'AdjustmentReason', 'AdjustmentFactor').map(
    (event) => ({
      security: 33449,
      effectiveDate: event.EffectiveDate,
      reason: event.AdjustmentReason,
      factor: Number(event.AdjustmentFactor),
    }),
  );
}

const CHOICES: readonly AdjustmentChoice[] = [
  { asOf: '2014-05-31', adjustments: 'all' },
  { asOf: '2014-06-09', adjustments: 'all' },
  { asOf: null, adjustments: 'all' },
  { asOf: '2014-05-31', adjustments: 'splits' },
  { asOf: null, adjustments: 'splits' },
];

function chosenAdjustments(): ComputedTable {
  const events = exampleEvents();
  const raw = {
    columns: ['Price', 'Quantity'],
    rowCount: 1,
    values: [Float64Array.of(700), Float64Array.of(1000)],
  };
  const columns = [...ADJUSTMENT_COLUMNS, ...raw.columns];
  return {
    file: ADJUSTED,
    header: ['adjusted_as_of', 'adjustments', ...columns],
    rows: CHOICES.map((choice) => {
      const factors = factorTableOf(() => events, choice);
      const table = adjustTable(raw, () => factors.factorsOn(33449, ROW_DATES[0] as string));
      const cells = columns.map((column) => cellText(table, column, 0));
      return [choice.asOf ?? 'none', choice.adjustments, ...cells];
    }),
  };
}

function adjustedTable(): ComputedTable {
  const factors = buildFactorTable(exampleEvents());
  const rowCount = ROW_DATES.length;
  const values = [700, 1000].map((value) => new Float64Array(rowCount).fill(value));
  const raw = { columns: ['Price', 'Quantity'], rowCount, values };
  const table = adjustTable(raw, (row) => factors.factorsOn(33449, ROW_DATES[row] as string));
  const columns = [...ADJUSTMENT_COLUMNS, ...raw.columns];
  return {
    file: ADJUSTED,
    header: ['TradeDate', ...columns],
    rows: ROW_DATES.map((date, row) => [
      date,
      ...columns.map((column) => cellText(table, column, row)),
    ]),
  };
}

/** The factor computed from the terms of each row of the page. */
function factorsByTerms(): ComputedTable {
  const terms = ['AdjustmentReason', 'DivPayrate', 'ClosePrice before', 'RatioNew', 'RatioOld'];
  const header = [...terms, 'AdjustmentFactor'];
  const number = (text: string | undefined) => (text === 'none' ? null : Number(text));
  const rows = namedRows(FACTORS, ...header).map((row) => {
    const [newShares, oldShares] = [number(row.RatioNew), number(row.RatioOld)];
    const known: EventTerms = {
      reason: row.AdjustmentReason ?? '',
      dividend: number(row.DivPayrate),
      priorClose: number(row['ClosePrice before']),
      ratio: newShares === null || oldShares === null ? null : { newShares, oldShares },
    };
    return [...terms.map((name) => row[name] ?? ''), `${factorOfTerms(known) ?? 'not known'}`];
  });
  return { file: FACTORS, header, rows };
}

function cumulativeTable(): ComputedTable {
  return {
    file: FACTORS,
    header: [
      ...['StartDate', 'EndDate', 'PriceBackwardFactor', 'VolumeBackwardFactor'],
      ...['PriceForwardFactor', 'VolumeForwardFactor'],
    ],
    rows: factorIntervals(exampleEvents()).map(({ startDate, endDate, backward, forward }) =>
      [startDate, endDate, backward.price, backward.volume, forward.price, forward.volume].map(
        String,
      ),
    ),
  };
}

function securityTable(): ComputedTable {
  const cell = (text: string) => (text === 'null' ? null : text);
  const uses = namedRows(SECURITIES, 'ASID', 'Ticker', 'StartDate', 'EndDate').map((row) => ({
    ...{ id: Number(row.ASID), ticker: row.Ticker },
    ...{ startDate: cell(row.StartDate), endDate: cell(row.EndDate) },
  }));
  const header = ['SecId', 'ASID', 'ListStatus', 'Ticker', 'TickerStartToEndDate'];
  return {
    file: SECURITIES,
    header,
    rows: historiesOfSymbols(uses, uses).map((history) => {
      const cells = securityMasterRow(history);
      return header.map((name) => {
        const value = cells[(SECURITY_MASTER_COLUMNS as readonly string[]).indexOf(name)];
        return Array.isArray(value) ? value.join(';') : `${value}`;
      });
    }),
  };
}

function conditionTables(): ComputedTable[] {
  const yesNo = (is: boolean) => (is ? 'counts' : 'does not');
  return [
    {
      file: CONDITIONS,
      header: [
        'Bit',
        'Trade condition',
        'vendor_default, alone',
        'vendor_default, with Regular',
        'industry_std',
        'industry_std, outside regular hours',
      ],
      rows: TRADE_CONDITION_USES.map((uses) => Object.values(uses).map(String)),
    },
    {
      file: CONDITIONS,
      header: ['Bit', 'Quote condition', 'Alone', 'With Regular'],
      rows: QUOTE_CONDITION_USES.map((use) => [
        `${use.bit}`,
        use.name,
        yesNo(use.is_counted),
        yesNo(use.is_counted_with_regular),
      ]),
    },
  ];
}

export function computedTables(): ComputedTable[] {
  return [
    ...equityTables(),
    ...futuresTables(),
    ...optionTables(),
    adjustedTable(),
    chosenAdjustments(),
    factorsByTerms(),
    cumulativeTable(),
    securityTable(),
    ...conditionTables(),
  ];
}
