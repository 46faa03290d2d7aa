/** The terms of corporate events that their announcements have in columns. */
import type { ShareRatio } from '@ticklake/market/event-terms.ts';
import type { ComputationInput } from './computation.ts';
import { namesOf, type ReferenceRow, referenceRows } from './reference-rows.ts';

const COLUMNS = {
  texts: ['EventType', 'Action'],
  numbers: ['SecId', 'ASID', 'EventId', 'RatioNew', 'RatioOld'],
  dates: [],
} as const;

/** Records of events that will not be: cancelled, deleted. */
const WITHDRAWN_ACTIONS: ReadonlySet<string | null> = new Set(['C', 'D']);

type Identity = ReferenceRow<'EventType', 'SecId' | 'ASID' | 'EventId', never>;

/** By ASID where there is one: between announcement and event a security may get another SecId. */
function identityOf({ SecId, ASID, EventType, EventId }: Identity): string | null {
  const security = ASID ?? SecId;
  return security === null || EventId === null ? null : [security, EventType, EventId].join();
}

export type RatioOf = (event: Identity) => ShareRatio | null;

/** The ratio of each event's last record. */
export async function readAnnouncedRatios({
  inputs: [, , announcements],
  dates,
  read,
}: ComputationInput): Promise<RatioOf> {
  const ratios = new Map<string, ShareRatio>();
  const batches = announcements && read(announcements, namesOf(COLUMNS), dates);
  if (!batches) return () => null;
  for await (const row of referenceRows(COLUMNS, batches)) {
    const identity = identityOf(row);
    if (identity === null) continue;
    const { RatioNew: newShares, RatioOld: oldShares, Action } = row;
    const isKnown = newShares !== null && oldShares !== null && newShares > 0 && oldShares > 0;
    if (isKnown && !WITHDRAWN_ACTIONS.has(Action)) ratios.set(identity, { newShares, oldShares });
    else ratios.delete(identity);
  }
  return (event) => {
    const identity = identityOf(event);
    return (identity === null ? null : ratios.get(identity)) ?? null;
  };
}
