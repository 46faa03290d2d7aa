/** Rows of adjustment factors and announcements, from the corporate actions. */
import { cumulativeFactorRows } from '@ticklake/market/cumulative-factors.ts';
import { byColumns, easternMoment, type Row, tradingDayNear } from './cells.ts';
import type { CorporateAction } from './corporate-actions.ts';
import type { EquityMarket, ListedSecurity } from './equity-market.ts';
import { isinOf, secIdOf, usIdentifierOf } from './identifiers.ts';
import { randomOf } from './random.ts';
import { nameOn, type Security, valueOn } from './securities.ts';

/** Calendar days from an announcement to the day it takes effect, and from that to payment. */
const ANNOUNCED_DAYS_BEFORE = 21;
const PAID_DAYS_AFTER = 20;
const DIVIDEND_PERIOD = 'QTR';

function securityColumns(security: Security, date: string) {
  const { ticker, name, secId } = nameOn(security, date);
  const isin = isinOf(usIdentifierOf(valueOn(security.secIdOrdinals, date)));
  return { SecId: secId, ASID: security.asid, Ticker: ticker, Name: name, ISIN: isin };
}

function dividendColumns(dividend: number | null) {
  return {
    DivPayrate: dividend,
    DivCurrency: dividend === null ? null : 'USD',
    DivPaymentType: dividend === null ? null : DIVIDEND_PERIOD,
  };
}

function allActions(market: EquityMarket): CorporateAction[] {
  return market.listed.flatMap(({ actions }) => actions);
}

/** Rows of `eq_adj_factors_detail`; those of `eq_adj_factors_basic` hold some of their columns. */
export function factorRows(market: EquityMarket): Row[] {
  return allActions(market)
    .map((action) => ({
      ...securityColumns(action.security, action.effectiveDate),
      EffectiveDate: action.effectiveDate,
      ReportDate: action.effectiveDate,
      Revision: 0,
      AdjustmentFactor: action.factor,
      AdjustmentReason: action.reason,
      EventType: action.eventType,
      EventId: action.eventId,
      ...dividendColumns(action.dividend),
      Detail: action.detail,
    }))
    .sort(byColumns('SecId', 'EffectiveDate', 'EventId'));
}

/** Rows of `eq_adj_factors_cumulative`. */
export function cumulativeRows(market: EquityMarket): Row[] {
  const events = factorRows(market).map((row) => ({
    security: row.ASID as number,
    ticker: row.Ticker as string,
    effectiveDate: row.EffectiveDate as string,
    factor: row.AdjustmentFactor as number,
    reason: row.AdjustmentReason as string,
  }));
  return cumulativeFactorRows(events);
}

interface Announcement {
  readonly security: Security;
  readonly effectiveDate: string;
  readonly eventType: string;
  readonly eventId: number;
  readonly dividend: number | null;
  readonly ratio: { readonly sharesNew: number; readonly sharesOld: number } | null;
  readonly detail: string;
}

function announcementRow(announcement: Announcement): Row {
  const { security, effectiveDate, eventType, eventId, dividend, ratio, detail } = announcement;
  const announced = tradingDayNear(effectiveDate, -ANNOUNCED_DAYS_BEFORE);
  const isPaid = dividend !== null || ratio !== null;
  return {
    ...securityColumns(security, announced),
    AnnouncementDate: announced,
    EventType: eventType,
    EventId: eventId,
    Action: 'I',
    EffectiveDate: effectiveDate,
    RecordDate: isPaid ? effectiveDate : null,
    PayDate: isPaid ? tradingDayNear(effectiveDate, PAID_DAYS_AFTER) : null,
    ...dividendColumns(dividend),
    RatioNew: ratio?.sharesNew ?? null,
    RatioOld: ratio?.sharesOld ?? null,
    Detail: detail,
    CreatedDate: announced,
    ChangedDate: easternMoment(announced, 18 * 60 + (eventId % 240)),
  };
}

/** A dividend that is announced but not yet effective, for about every second payer. */
function comingDividend(market: EquityMarket, listed: ListedSecurity): Announcement[] {
  const { security, company, path } = listed;
  const asOf = market.timeline.days.at(-1) as string;
  if (company.dividendYield === 0 || !security.isListed) return [];
  const random = randomOf(market.seed, 'coming dividend', company.name);
  if (!random.chance(0.5)) return [];
  const price = path.close.at(-1) as number;
  const dividend = Math.max(0.01, Math.round((company.dividendYield / 4) * price * 100) / 100);
  return [
    {
      security,
      effectiveDate: tradingDayNear(asOf, random.integer(4, 18)),
      eventType: 'DIV',
      eventId: 2_000_900 + security.ordinal * 1000,
      dividend,
      ratio: null,
      detail: `QTR Cash dividend of ${dividend.toFixed(9)} USD EQS`,
    },
  ];
}

/** The reclassification behind a new SecId; prices do not move on it. */
function reclassifications({ security }: ListedSecurity): Announcement[] {
  return security.secIdOrdinals.slice(1).map(({ value, start }, i) => ({
    security,
    effectiveDate: start,
    eventType: 'SECRC',
    eventId: 2_000_800 + security.ordinal * 1000 + i,
    dividend: null,
    ratio: { sharesNew: 1, sharesOld: 1 },
    detail: `Reclassification into 1 for 1 of a new class (${secIdOf(value)})`,
  }));
}

/** Rows of `eq_announce`: of every action, and of dividends to come. */
export function announcementRows(market: EquityMarket): Row[] {
  const past = allActions(market).map((action) => ({ ...action, ratio: action.change }));
  const others = market.listed.flatMap((listed) => [
    ...reclassifications(listed),
    ...comingDividend(market, listed),
  ]);
  const asOf = market.timeline.days.at(-1) as string;
  return [...past, ...others]
    .map(announcementRow)
    .filter(({ AnnouncementDate }) => (AnnouncementDate as string) <= asOf)
    .sort(byColumns('AnnouncementDate', 'SecId', 'EventId'));
}
