/** Dividends and share changes of the demo market as they are planned, before there are prices. */
import { randomOf } from './random.ts';
import type { Security } from './securities.ts';
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
