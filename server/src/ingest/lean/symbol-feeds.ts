/** Lookups and the security master, of all securities in the ledger. */
import {
  joinUnbroken,
  type NamedPeriod,
  SECURITY_MASTER_COLUMNS,
  securityMasterRow,
} from '@ticklake/market/security-master.ts';
import { type Security, type TickerPeriod, UNKNOWN_START } from '../../store/securities.ts';
import type { Feed, LeanRow, Reading } from './feed.ts';
import { OPEN_END } from './map-files.ts';
import { type Claims, claimsOf, withoutClaims } from './ticker-days.ts';

const hasHistory = ({ firstDate }: Security) => firstDate !== null;

/** A ticker without a history is in use from its first day on, except on other companies' days. */
function periodsOf(security: Security, claims: Claims<unknown>): readonly TickerPeriod[] {
  if (hasHistory(security)) return security.periods;
  return withoutClaims(
    security.periods.map((met) => ({ ...met, endDate: OPEN_END })),
    claims,
  );
}

async function knownSecurities(reading: Reading): Promise<Security[]> {
  const all = await reading.readSecurities();
  const claims = claimsOf(all.filter(hasHistory));
  return all
    .map((security) => ({ ...security, periods: periodsOf(security, claims) }))
    .filter(({ periods }) => periods.length > 0);
}

function named(periods: readonly TickerPeriod[], field: 'ticker' | 'venue'): NamedPeriod[] {
  return joinUnbroken(
    periods.flatMap(({ startDate, endDate, [field]: value }) =>
      value === null ? [] : [{ value, startDate, endDate }],
    ),
  );
}

function lookupFeed(dataset: string, numberColumn: 'SecId' | 'ASID'): Feed {
  async function* rows(reading: Reading): AsyncGenerator<readonly LeanRow[]> {
    for (const { securityId, periods } of await knownSecurities(reading)) {
      yield named(periods, 'ticker').map(({ value, startDate, endDate }) => ({
        [numberColumn]: securityId,
        Ticker: value,
        StartDate: startDate === UNKNOWN_START ? null : startDate,
        EndDate: endDate,
      }));
    }
  }
  return { dataset, kinds: ['map files'], replaces: 'all', rows };
}

/** Nothing but the map files tells whether a ticker is still listed. */
function listStatus(security: Security): 'L' | 'D' | null {
  if (!hasHistory(security)) return null;
  return security.periods.at(-1)?.endDate === OPEN_END ? 'L' : 'D';
}

async function* masterRows(reading: Reading): AsyncGenerator<readonly LeanRow[]> {
  for (const security of await knownSecurities(reading)) {
    const { securityId, periods } = security;
    const cells = securityMasterRow({
      secId: securityId,
      asid: securityId,
      listStatus: listStatus(security),
      tickers: named(periods, 'ticker'),
      primaryExchanges: named(periods, 'venue'),
      // LEAN says no more of a company.
      ...{ securityDescription: null, sic: null, sector: null, industry: null, sedol: null },
      ...{ names: [], isins: [], usIdentifiers: [], figis: [] },
    });
    yield [
      Object.fromEntries(SECURITY_MASTER_COLUMNS.map((name, at) => [name, cells[at] ?? null])),
    ];
  }
}

export const SYMBOL_FEEDS: readonly Feed[] = [
  lookupFeed('eq_lookup_files', 'SecId'),
  lookupFeed('eq_secid_chains_lookup', 'ASID'),
  { dataset: 'eq_sec_master', kinds: ['map files'], replaces: 'all', rows: masterRows },
];
