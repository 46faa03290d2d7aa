/** What somebody has to be told before a shard loses its last replica. Pure. */

/** How long a replica may take to say that it is there. */
export const ANSWER_MS = 1000;

export interface ShardState {
  /** Of all replicas. */
  readonly urls: readonly string[];
  readonly answeringUrls: readonly string[];
}

/** One that never had more than one replica is as it was meant to be; one that has none left is a problem of its own. */
function warningOf({ urls, answeringUrls }: ShardState, at: number): string | null {
  const [left] = answeringUrls;
  if (urls.length === 1 || answeringUrls.length !== 1) return null;
  const away = urls.filter((url) => url !== left);
  const verb = away.length === 1 ? 'does' : 'do';
  return `shard ${at + 1} has one replica left, ${left}; ${away.join(' and ')} ${verb} not answer`;
}

/** In one line, by the numbers of shards as they are named from 1 on; null where each has another one. */
export function lastReplicasWarning(shards: readonly ShardState[]): string | null {
  const warnings = shards.map(warningOf).filter((each) => each !== null);
  return warnings.length === 0 ? null : warnings.join('; ');
}
