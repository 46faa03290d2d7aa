/** Why dates have no contract of a rank, in words. */
import type { GapReason } from '../engine/query-plan.ts';
import { KNOWN_WEEKDAYS } from './continuous-contract.ts';

export const GAP_TEXTS: Readonly<Record<GapReason, string>> = {
  no_volume: `No contract of the root traded on the ${KNOWN_WEEKDAYS} weekdays before`,
  no_open_interest: `No open interest of the root's contracts was published on the ${KNOWN_WEEKDAYS} weekdays before`,
  too_few_contracts: 'Fewer contracts of the root are ranked on these dates',
};
export const GAP_REASONS = Object.keys(GAP_TEXTS) as [GapReason, ...GapReason[]];
