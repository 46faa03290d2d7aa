/** The reference datasets, each of which is small enough to be made in one piece. */
import { closures } from '@ticklake/market/calendar.ts';
import { announcementRows, cumulativeRows, factorRows } from './action-rows.ts';
import type { Row } from './cells.ts';
import type { EquityMarket } from './equity-market.ts';
import type { DemoFamily } from './family.ts';
import { offeringRows } from './offering-rows.ts';
import type { OptionChain } from './option-chain.ts';
import {
  contractMasterRows,
  listedProductRows,
  optionMasterRows,
  optionRoots,
  specialSettlementRows,
} from './option-reference-rows.ts';
import {
  chainRows,
  lookupRows,
  securityHistories,
  securityMasterRows,
  shareCountRows,
} from './security-rows.ts';

const FIRST_HOLIDAY_YEAR = 2007;
/** Years of holidays after the last trade date's. */
const HOLIDAY_YEARS_AHEAD = 2;

function holidayRows(asOf: string): Row[] {
  return closures(FIRST_HOLIDAY_YEAR, Number(asOf.slice(0, 4)) + HOLIDAY_YEARS_AHEAD).map(
    ({ date, holiday }) => ({ Date: date, Holiday: holiday }),
  );
}

/** The generator of each dataset, by text id. */
function rowsOf(
  market: EquityMarket,
  chains: readonly OptionChain[],
): Readonly<Record<string, () => readonly Row[]>> {
  const { days, size } = market.timeline;
  const asOf = days.at(-1) as string;
  const histories = securityHistories(market);
  const roots = optionRoots(chains);
  const listDates = days.slice(-size.minuteDays);
  return {
    eq_adj_factors_basic: () => factorRows(market),
    eq_adj_factors_cumulative: () => cumulativeRows(market),
    eq_adj_factors_detail: () => factorRows(market),
    eq_announce: () => announcementRows(market),
    eq_ipo: () => offeringRows(market),
    eq_ipo_detailed: () => offeringRows(market),
    eq_lookup_files: () => lookupRows(histories),
    eq_market_holidays: () => holidayRows(asOf),
    eq_sec_master: () => securityMasterRows(histories),
    eq_secid_chains_lookup: () => chainRows(histories),
    eq_shares_outst_basic: () => shareCountRows(market),
    eq_shares_outst_detail: () => shareCountRows(market),
    occ_eq_spec_settl: () => specialSettlementRows(market, roots, listDates),
    occ_list_opt_daily: () => listedProductRows(roots, listDates),
    opt_contr_sec_master: () => contractMasterRows(roots, asOf),
    opt_sec_master: () => optionMasterRows(roots),
  };
}

export function referenceFamily(market: EquityMarket, chains: readonly OptionChain[]): DemoFamily {
  const sources = rowsOf(market, chains);
  return {
    name: 'reference data',
    textIds: Object.keys(sources),
    *produce(buffers) {
      for (const [textId, rows] of Object.entries(sources)) {
        for (const row of rows()) buffers.of(textId).appendRow(row);
        yield;
      }
    },
  };
}
