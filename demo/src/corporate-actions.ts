/** Dividends and share changes of the demo market, with their prices. */
import {
  bonusFactor,
  cashDividendFactor,
  demergerFactor,
  exchangeFactor,
} from '@ticklake/market/adjustment-factor.ts';
import type { PlannedAction } from './planned-actions.ts';
import type { PricePath } from './price-path.ts';
import { nameOn, type Security } from './securities.ts';
import type { Timeline } from './timeline.ts';
import type { ShareChange } from './universe.ts';

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
