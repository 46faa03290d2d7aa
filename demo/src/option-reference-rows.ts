/** Rows about option roots and contracts, and of the clearing house's daily lists. */
import { OPEN_END_DATE } from '@ticklake/market/security-master.ts';
import { byColumns, type Row, tradingDayNear } from './cells.ts';
import type { CorporateAction } from './corporate-actions.ts';
import type { EquityMarket } from './equity-market.ts';
import { optionRootAsid, usIdentifierOf } from './identifiers.ts';
import type { OptionChain, OptionContract } from './option-chain.ts';
import { HISTORY_START, nameOn, valueOn } from './securities.ts';

const CONTRACT_SHARES = 100;

/** A root, with the terms of its contracts where a corporate action changed them. */
export interface OptionRoot {
  readonly ordinal: number;
  readonly root: string;
  readonly chain: OptionChain;
  readonly contracts: readonly OptionContract[];
  /** First and last day of use. */
  readonly start: string;
  readonly end: string;
  /** The demerger whose shares the contracts deliver too; null for standard roots. */
  readonly demerger: CorporateAction | null;
}

/**
 * The contracts that a demerger leaves with a second deliverable: those of the last expiration,
 * under the root with a digit added. They are listed and not traded.
 */
function adjustedContracts(chain: OptionChain, demerger: CorporateAction): OptionContract[] {
  const expiration = chain.contracts.at(-1)?.expiration;
  return chain.contracts
    .filter((contract) => contract.expiration === expiration)
    .map((contract) => ({ ...contract, firstTradeDate: demerger.effectiveDate }));
}

export function optionRoots(chains: readonly OptionChain[]): OptionRoot[] {
  const standard = chains.map((chain) => ({
    root: chain.root,
    chain,
    contracts: chain.contracts,
    start: HISTORY_START,
    end: OPEN_END_DATE,
    demerger: null,
  }));
  const adjusted = chains.flatMap((chain) => {
    const demerger = chain.listed.actions.find(({ reason }) => reason === 'DeMerg');
    if (!demerger) return [];
    const contracts = adjustedContracts(chain, demerger);
    const end = contracts.at(-1)?.expiration ?? OPEN_END_DATE;
    const start = demerger.effectiveDate;
    return [{ root: `${chain.root}1`, chain, contracts, start, end, demerger }];
  });
  return [...standard, ...adjusted].map((root, ordinal) => ({ ordinal, ...root }));
}

export function optionMasterRows(roots: readonly OptionRoot[]): Row[] {
  return roots.map(({ ordinal, root, chain, start, end }) => ({
    ASID: optionRootAsid(ordinal),
    OptionTicker: root,
    UnderTicker: chain.root,
    UnderType: 'S',
    OptionType: 'VA',
    OptionStyle: 'A',
    IsWeekly: 'N',
    MarketClose: '16:00',
    SettlType: 'PM',
    SettlTicker: '',
    OptionTickerStartToEndDate: `${start}:${end}`.replaceAll('-', ''),
    ListStatus: 'L',
  }));
}

function osiSymbol(root: string, { expiration, callPut, strike }: OptionContract): string {
  const date = expiration.slice(2).replaceAll('-', '');
  return `${root.padEnd(6)}${date}${callPut}${String(Math.round(strike * 1000)).padStart(8, '0')}`;
}

export function contractMasterRows(roots: readonly OptionRoot[], asOf: string): Row[] {
  return roots
    .flatMap(({ ordinal, root, chain, contracts }) =>
      contracts.map((contract) => ({
        ASID: optionRootAsid(ordinal),
        OptionTicker: root,
        UnderTicker: chain.root,
        UnderType: 'S',
        Expiration: contract.expiration,
        CallPut: contract.callPut,
        Strike: contract.strike,
        OsiSymbol: osiSymbol(root, contract),
        OptionStyle: 'A',
        SettlType: 'PM',
        Multiplier: CONTRACT_SHARES,
        IsWeekly: contract.isWeekly ? 'Y' : 'N',
        FirstTradeDate: contract.firstTradeDate,
        LastTradeDate: contract.expiration,
        ListStatus: contract.expiration < asOf ? 'D' : 'L',
      })),
    )
    .sort(byColumns('OptionTicker', 'Expiration', 'CallPut', 'Strike'));
}

function rootsOn(roots: readonly OptionRoot[], date: string): OptionRoot[] {
  return roots
    .filter(({ start, end }) => start <= date && date <= end)
    .sort((a, b) => (a.root < b.root ? -1 : 1));
}

/** Rows of `occ_list_opt_daily` on the days with minute bars. */
export function listedProductRows(roots: readonly OptionRoot[], dates: readonly string[]): Row[] {
  return dates.flatMap((date) =>
    rootsOn(roots, date).map(({ root, chain, demerger }) => {
      const { ticker, name } = nameOn(chain.listed.security, date);
      return {
        TradeDate: date,
        OptionTicker: root,
        UnderTicker: ticker,
        Name: `${name} ${demerger ? '(AMER/ADJ)' : '(AMER)'}`,
        Exchanges: demerger ? 'CPX' : 'ACIPXZ',
        PositionLimit: 25_000_000,
        ProductType: 'EU',
      };
    }),
  );
}

/** Rows of `occ_eq_spec_settl`: the parent's shares, then the child's. */
export function specialSettlementRows(
  market: EquityMarket,
  roots: readonly OptionRoot[],
  dates: readonly string[],
): Row[] {
  return dates.flatMap((date) =>
    rootsOn(roots, date).flatMap(({ root, chain, demerger }) => {
      const change = demerger?.change;
      const child = market.listed.find(({ company }) => company.ticker === change?.childTicker);
      if (!demerger || !change || !child) return [];
      const units = (CONTRACT_SHARES * change.sharesNew) / change.sharesOld;
      const wholeUnits = Math.floor(units);
      const cash = (units - wholeUnits) * (child.path.open[0] as number);
      const components = [
        { security: chain.listed.security, units: CONTRACT_SHARES, percent: 100, cash: 0 },
        { security: child.security, units: wholeUnits, percent: 0, cash },
      ];
      return components.map(({ security, ...component }, i) => ({
        TradeDate: date,
        OptionTicker: root,
        ProductKind: 'OSTK',
        StrikeCurrency: 'USD',
        ProductCode: 'EU',
        TotalComponents: components.length,
        ComponentNumber: i + 1,
        UnderTicker: nameOn(security, date).ticker,
        USIdentifier: usIdentifierOf(valueOn(security.secIdOrdinals, date)),
        DeliverableUnits: component.units,
        SettlMethod: 'CNS',
        StrikePercent: component.percent,
        FixedAmount: Math.round(component.cash * 100) / 100,
        ProcessDate: demerger.effectiveDate,
        SettlDate: tradingDayNear(demerger.effectiveDate, 10),
      }));
    }),
  );
}
