/** Dividends and share changes of the demo market, first planned by age, then priced. */
import {
  bonusFactor,
  cashDividendFactor,
  demergerFactor,
  exchangeFactor,
} from '../market/adjustment-factor.ts';
import type { PricePath } from './price-path.ts';
import { randomOf } from './random.ts';
import { nameOn, type Security } from './securities.ts';
import type { Timeline } from './timeline.ts';
import type { ShareChange } from './universe.ts';

/** Trading days from one quarterly dividend to the next. */
const DIVIDEND_STEP = 63;
const DEMERGER_SHARE = 0.04;

export interface PlannedAction {
  /** First trading day in the new terms. */
  readonly dayIndex: number;
  /** About the logarithm of the factor; the path is drawn with it. */
  readonly logStep: number;
  /** Null: a cash dividend of `dividendShare` of the price. */
  readonly change: ShareChange | null;
  readonly dividendShare: number;
}

export interface CorporateAction {
  readonly security: Security;
  readonly dayIndex: number;
  readonly effectiveDate: string;
  readonly factor: number;
  readonly reason: 'CashDiv' | ShareChange['reason'];
  /** Event family code. */
  readonly eventType: 'DIV' | 'SD' | 'CONSD' | 'BON' | 'DMRGR';
  readonly eventId: number;
  /** Dollars per share, null unless a cash dividend. */
  readonly dividend: number | null;
  readonly change: ShareChange | null;
  readonly detail: string;
}

const EVENT_TYPE_OF = {
  CashDiv: 'DIV',
  ScriptDiv: 'DIV',
  Subdiv: 'SD',
  Cons: 'CONSD',
  BonusSame: 'BON',
  DeMerg: 'DMRGR',
} as const;

const LOG_STEP_OF: Record<ShareChange['reason'], (change: ShareChange) => number> = {
  Subdiv: (c) => Math.log(c.sharesOld / c.sharesNew),
  Cons: (c) => Math.log(c.sharesOld / c.sharesNew),
  BonusSame: (c) => Math.log(c.sharesOld / (c.sharesOld + c.sharesNew)),
  ScriptDiv: (c) => Math.log(c.sharesOld / (c.sharesOld + c.sharesNew)),
  DeMerg: () => Math.log(1 - DEMERGER_SHARE),
};

/** Future corporate actions of a listed security, oldest first. */
export function planActions(seed: number, security: Security, timeline: Timeline): PlannedAction[] {
  const company = security.company;
  if (!company) return [];
  const isInLife = (day: number) => day > security.firstDay && day <= security.lastDay;
  const planned: PlannedAction[] = [];
  const quarterly = company.dividendYield / 4;
  if (quarterly > 0) {
    const phase = randomOf(seed, 'dividends', company.name).integer(5, DIVIDEND_STEP - 6);
    for (let age = phase; age < timeline.days.length - 1; age += DIVIDEND_STEP)
      planned.push({
        dayIndex: timeline.days.length - 1 - age,
        logStep: Math.log(1 - quarterly),
        change: null,
        dividendShare: quarterly,
      });
  }
  for (const change of company.special.shareChanges ?? [])
    planned.push({
      dayIndex: timeline.days.length - 1 - change.age,
      logStep: LOG_STEP_OF[change.reason](change),
      change,
      dividendShare: 0,
    });
  return planned
    .filter(({ dayIndex }) => isInLife(dayIndex))
    .sort((a, b) => a.dayIndex - b.dayIndex);
}

/** The security and path of a company, by ticker. */
export type FindPath = (ticker: string) => { security: Security; path: PricePath };

type Terms = (change: ShareChange, priorClose: number, find: FindPath) => number;

const FACTOR_OF: Record<ShareChange['reason'], Terms> = {
  Subdiv: (c) => exchangeFactor(c.sharesNew, c.sharesOld),
  Cons: (c) => exchangeFactor(c.sharesNew, c.sharesOld),
  BonusSame: (c) => bonusFactor(c.sharesNew, c.sharesOld),
  ScriptDiv: (c) => bonusFactor(c.sharesNew, c.sharesOld),
  DeMerg: (c, priorClose, find) => {
    const { path } = find(c.childTicker as string);
    return demergerFactor(path.open[0] as number, c.sharesNew, c.sharesOld, priorClose);
  },
};

function exchangeTag(exchange: string): string {
  return `[EXCHGCD=${exchange === 'NASDAQ' ? 'USNASD' : `US${exchange}`}]`;
}

function describeChange(
  change: ShareChange,
  ticker: string,
  secId: number,
  date: string,
  find: FindPath,
): string {
  const { sharesNew, sharesOld } = change;
  const own = `${ticker} (${secId})`;
  if (change.reason === 'Subdiv') return `Subdivision of ${sharesNew} for ${sharesOld}`;
  if (change.reason === 'Cons') return `Consolidation of ${sharesNew} for ${sharesOld}`;
  if (change.reason !== 'DeMerg')
    return `${change.reason === 'BonusSame' ? 'Bonus' : 'Stock dividend'} of ${sharesNew} ${own} for ${sharesOld} ${own}`;
  const child = nameOn(find(change.childTicker as string).security, date);
  return `Demerger of ${sharesNew} ${child.ticker} (${child.secId}) for ${sharesOld} ${own} [OPTION=1]`;
}

/** The planned actions with their amounts and factors, from the closes before them. */
export function priceActions(
  planned: readonly PlannedAction[],
  security: Security,
  path: PricePath,
  timeline: Timeline,
  find: FindPath,
): CorporateAction[] {
  return planned.map(({ dayIndex, change, dividendShare }, i) => {
    const priorClose = path.close[dayIndex - path.firstDay - 1] as number;
    const effectiveDate = timeline.days[dayIndex] as string;
    const { ticker, secId, exchange } = nameOn(security, effectiveDate);
    const dividend = change
      ? null
      : Math.max(0.01, Math.round(dividendShare * priorClose * 100) / 100);
    const reason = change?.reason ?? 'CashDiv';
    const terms = change
      ? describeChange(change, ticker, secId, effectiveDate, find)
      : `QTR Cash dividend of ${(dividend as number).toFixed(9)} USD EQS [DIVPAYRATE=${dividend}] [DIVCURRENCY=USD] [DIVPERIOD=QTR]`;
    return {
      security,
      dayIndex,
      effectiveDate,
      factor: change
        ? FACTOR_OF[change.reason](change, priorClose, find)
        : cashDividendFactor(dividend as number, priorClose),
      reason,
      eventType: EVENT_TYPE_OF[reason],
      eventId: 2_000_000 + security.ordinal * 1000 + i,
      dividend,
      change,
      detail: `${terms} ${exchangeTag(exchange)}`,
    };
  });
}
