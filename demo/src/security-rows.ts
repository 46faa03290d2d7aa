/** Rows of the security master and its lookups, and of shares outstanding. */

import {
  CHAIN_LOOKUP_COLUMNS,
  chainLookupRows,
  type MasterCell,
  type NamedPeriod,
  OPEN_END_DATE,
  SECURITY_MASTER_COLUMNS,
  type SecurityHistory,
  securityMasterRow,
  TICKER_LOOKUP_COLUMNS,
  tickerLookupRows,
} from '@ticklake/market/security-master.ts';
import type { CellValue } from 'ticklake/engine/columns.ts';
import { byColumns, type Row } from './cells.ts';
import { INDUSTRY_OF_SIC, sectorOfSic } from './companies.ts';
import type { EquityMarket, ListedSecurity } from './equity-market.ts';
import { figiOf, isinOf, secIdOf, usIdentifierOf } from './identifiers.ts';
import { randomOf } from './random.ts';
import { nameOn, type Period, type Security } from './securities.ts';

function earlierThenLater(a: string, b: string): readonly [string, string] {
  return a < b ? [a, b] : [b, a];
}

/** The part of a history that lies within a period. */
function within(periods: readonly Period<string>[], life: Period<unknown>): NamedPeriod[] {
  return periods
    .filter(({ start, end }) => start <= life.end && end >= life.start)
    .map(({ value, start, end }) => ({
      value,
      startDate: earlierThenLater(start, life.start)[1],
      endDate: earlierThenLater(end, life.end)[0],
    }));
}

function historiesOf(security: Security): SecurityHistory[] {
  const { sic } = security;
  return security.secIdOrdinals.map((period) => {
    const usIdentifier = usIdentifierOf(period.value);
    const whole = (value: string) => [{ value, startDate: period.start, endDate: period.end }];
    return {
      secId: secIdOf(period.value),
      asid: security.asid,
      listStatus: period.end === OPEN_END_DATE ? 'L' : 'D',
      securityDescription: security.description,
      sic,
      sector: sic === null ? null : sectorOfSic(sic),
      industry: sic === null ? null : (INDUSTRY_OF_SIC[sic] ?? null),
      sedol: null,
      tickers: within(security.tickers, period),
      names: within(security.names, period),
      isins: whole(isinOf(usIdentifier)),
      usIdentifiers: whole(usIdentifier),
      primaryExchanges: within(security.exchanges, period),
      figis: [figiOf(period.value)],
    };
  });
}

function named(columns: readonly string[], cells: readonly MasterCell[]): Row {
  return Object.fromEntries(columns.map((name, i) => [name, cells[i] as CellValue]));
}

export function securityHistories(market: EquityMarket): SecurityHistory[] {
  return market.securities.flatMap(historiesOf).sort((a, b) => a.secId - b.secId);
}

export function securityMasterRows(histories: readonly SecurityHistory[]): Row[] {
  return histories.map((history) => named(SECURITY_MASTER_COLUMNS, securityMasterRow(history)));
}

export function lookupRows(histories: readonly SecurityHistory[]): Row[] {
  return tickerLookupRows(histories).map((cells) => named(TICKER_LOOKUP_COLUMNS, cells));
}

export function chainRows(histories: readonly SecurityHistory[]): Row[] {
  return chainLookupRows(histories).map((cells) => named(CHAIN_LOOKUP_COLUMNS, cells));
}

/** Trading days from one regular count of shares to the next. */
const COUNT_STEP = 63;

/** Counts at the start, each quarter and with each change of the share base, oldest first. */
function shareCounts(market: EquityMarket, { security, company, path, actions }: ListedSecurity) {
  const random = randomOf(market.seed, 'shares', company.name);
  const changes = new Map(
    actions.flatMap(({ dayIndex, change, factor, reason }) =>
      change && reason !== 'DeMerg' ? [[dayIndex, 1 / factor] as const] : [],
    ),
  );
  let shares = random.integer(20_000, 900_000) * 1000;
  let previous: number | null = null;
  const rows: Row[] = [];
  for (let day = path.firstDay; day <= path.lastDay; day++) {
    const ratio = changes.get(day);
    const isRegular = (day - path.firstDay) % COUNT_STEP === 0;
    if (ratio === undefined && !isRegular) continue;
    if (ratio !== undefined) shares = Math.round(shares * ratio);
    else if (previous !== null) shares += Math.round(shares * random.uniform(-0.008, 0.006));
    const date = market.timeline.days[day] as string;
    const { ticker, name, secId } = nameOn(security, date);
    rows.push({
      SecId: secId,
      ASID: security.asid,
      Ticker: ticker,
      Name: name,
      EffectiveDate: date,
      CreatedDate: date,
      ChangedDate: date,
      SharesOutstanding: shares,
      SharesOutstandingChange: previous === null ? null : shares - previous,
      EventId: 5_000_000 + security.ordinal * 1000 + rows.length,
      ListingDate: security.start,
      SecurityStatus: security.isListed ? 'active' : 'inactive',
    });
    previous = shares;
  }
  return rows;
}

/** Rows of `eq_shares_outst_detail`; those of the basic dataset hold some of their columns. */
export function shareCountRows(market: EquityMarket): Row[] {
  return market.listed
    .flatMap((listed) => shareCounts(market, listed))
    .sort(byColumns('SecId', 'EffectiveDate', 'EventId'));
}
