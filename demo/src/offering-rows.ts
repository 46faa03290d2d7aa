/** Public offerings: of companies that listed within the data, and of two that have not yet. */
import { byColumns, easternMoment, type Row, tradingDayNear } from './cells.ts';
import type { EquityMarket, ListedSecurity } from './equity-market.ts';
import { isinOf, usIdentifierOf } from './identifiers.ts';
import { randomOf } from './random.ts';
import { nameOn, valueOn } from './securities.ts';

interface Offering {
  readonly ipoId: number;
  readonly secId: number | null;
  readonly asid: number | null;
  readonly ticker: string;
  readonly name: string;
  readonly exchange: string;
  readonly status: 'Historical' | 'Pending' | 'Postponed';
  readonly firstTradeDate: string | null;
  readonly createdDate: string;
  readonly changedDate: string;
  /** Null before it is set. */
  readonly offerPrice: number | null;
  readonly rangeMiddle: number;
  readonly shares: number;
  readonly usIdentifier: string | null;
  readonly sic: number | null;
}

/** Demergers list a company without offering shares. */
function isOffered({ company }: ListedSecurity, market: EquityMarket): boolean {
  return (
    company.special.listedAge !== undefined &&
    !market.listed.some((other) =>
      other.company.special.shareChanges?.some((change) => change.childTicker === company.ticker),
    )
  );
}

function completedOffering(market: EquityMarket, listed: ListedSecurity): Offering {
  const { security, path } = listed;
  const { ticker, name, exchange, secId } = nameOn(security, security.start);
  const random = randomOf(market.seed, 'offering', name);
  const offerPrice = Math.max(1, Math.round((path.open[0] as number) * 0.9 * 2) / 2);
  return {
    ipoId: 7000 + security.ordinal,
    secId,
    asid: security.asid,
    ticker,
    name,
    exchange,
    status: 'Historical',
    firstTradeDate: security.start,
    createdDate: tradingDayNear(security.start, -45),
    changedDate: tradingDayNear(security.start, 3),
    offerPrice,
    rangeMiddle: offerPrice,
    shares: random.integer(40, 180) * 100_000,
    usIdentifier: usIdentifierOf(valueOn(security.secIdOrdinals, security.start)),
    sic: security.sic,
  };
}

function comingOfferings(asOf: string): Offering[] {
  const common = { secId: null, asid: null, offerPrice: null, usIdentifier: null };
  return [
    {
      ...common,
      ipoId: 7901,
      ticker: 'GQXW',
      name: 'Gaquexow Water Inc',
      exchange: 'NYSE',
      status: 'Pending',
      firstTradeDate: tradingDayNear(asOf, 9),
      createdDate: tradingDayNear(asOf, -30),
      changedDate: tradingDayNear(asOf, -2),
      rangeMiddle: 19,
      shares: 12_000_000,
      sic: 4941,
    },
    {
      ...common,
      ipoId: 7902,
      ticker: 'LZQK',
      name: 'Lozequik Payments Inc',
      exchange: 'NASDAQ',
      status: 'Postponed',
      firstTradeDate: null,
      createdDate: tradingDayNear(asOf, -90),
      changedDate: tradingDayNear(asOf, -11),
      rangeMiddle: 27,
      shares: 9_500_000,
      sic: 7389,
    },
  ];
}

function offeringRow(offering: Offering): Row {
  const { firstTradeDate, offerPrice, rangeMiddle, shares, usIdentifier } = offering;
  return {
    SecId: offering.secId,
    ASID: offering.asid,
    Ticker: offering.ticker,
    Name: offering.name,
    PrimaryExchange: offering.exchange,
    Status: offering.status,
    FirstTradeDate: firstTradeDate,
    OfferPrice: offerPrice,
    Currency: 'USD',
    SharesOffered: shares,
    IpoId: offering.ipoId,
    ISIN: usIdentifier === null ? null : isinOf(usIdentifier),
    USIdentifier: usIdentifier,
    SecurityDescription: 'Equity Shares',
    CountryOfIncorporation: 'US',
    Sic: offering.sic,
    SubscriptionStartDate: firstTradeDate && tradingDayNear(firstTradeDate, -12),
    SubscriptionEndDate: firstTradeDate && tradingDayNear(firstTradeDate, -4),
    PriceRangeLow: rangeMiddle - 1,
    PriceRangeHigh: rangeMiddle + 1,
    MinSharesOffered: shares,
    MaxSharesOffered: Math.round(shares * 1.15),
    TotalOfferSize: offerPrice === null ? null : shares * offerPrice,
    SharesOutstanding: shares * 5,
    ParValue: 0.001,
    LotSize: 100,
    DealType: 'Initial Public Offering',
    Underwriter: 'Zaqueling Securities;Quorvex Capital Markets',
    LawFirm: 'Vexaquil LLP',
    TransferAgent: 'Zoquaril Registry Co',
    Notes: null,
    CreatedDate: offering.createdDate,
    ChangedDate: easternMoment(offering.changedDate, 17 * 60 + 30),
  };
}

/** Rows of `eq_ipo_detailed`; those of `eq_ipo` hold some of their columns. */
export function offeringRows(market: EquityMarket): Row[] {
  const asOf = market.timeline.days.at(-1) as string;
  const completed = market.listed
    .filter((listed) => isOffered(listed, market))
    .map((listed) => completedOffering(market, listed));
  return [...completed, ...comingOfferings(asOf)]
    .map(offeringRow)
    .sort(byColumns('FirstTradeDate', 'Ticker'));
}
