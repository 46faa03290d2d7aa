/** Which earlier versions stay readable. Pure. */
import type { Replaced } from '../store/lake-index.ts';

const DAY_MS = 86_400_000;

export interface RetentionPolicy {
  /** A version stays for at least so long after it was replaced. */
  readonly retentionDays: number;
  /** So many versions before the current one stay, however old they are. */
  readonly retentionVersions: number;
  /** Stored bytes of the parts that only earlier versions have; the oldest go beyond it. */
  readonly retentionBytesMax: number;
}

/** A dataset that loses versions. */
export interface DroppedVersions {
  readonly datasetId: string;
  readonly versions: readonly number[];
  /** The first version that stays. */
  readonly firstVersion: number;
  /** Stored bytes that nothing refers to any more. */
  readonly byteCount: number;
}

interface Candidate {
  readonly datasetId: string;
  readonly version: number;
  readonly replacedMs: number;
  /** Bytes of the parts whose last version it is. */
  readonly byteCount: number;
}

const keyOf = (datasetId: string, version: number) => `${datasetId} ${version}`;

/**
 * The versions that may go, the longest replaced first; a version never goes before an earlier one.
 */
function candidatesOf({ versions, parts }: Replaced): Candidate[] {
  const bytes = new Map<string, number>();
  for (const { datasetId, lastVersion, storedByteCount } of parts) {
    const key = keyOf(datasetId, lastVersion);
    bytes.set(key, (bytes.get(key) ?? 0) + storedByteCount);
  }
  return versions
    .map(({ datasetId, version, replacedAt }) => ({
      datasetId,
      version,
      replacedMs: Date.parse(replacedAt),
      byteCount: bytes.get(keyOf(datasetId, version)) ?? 0,
    }))
    .sort((a, b) => a.replacedMs - b.replacedMs || a.version - b.version);
}

/**
 * The versions to drop at a moment. A version that was replaced less than `graceMs` ago always
 * stays, for the queries that still read it.
 */
export function planRetention(
  replaced: Replaced,
  { retentionDays, retentionVersions, retentionBytesMax }: RetentionPolicy,
  nowMs: number,
  graceMs: number,
): DroppedVersions[] {
  let heldBytes = replaced.parts.reduce((sum, part) => sum + part.storedByteCount, 0);
  const dropped = new Map<string, Candidate[]>();
  for (const candidate of candidatesOf(replaced)) {
    const { datasetId, version, replacedMs, byteCount } = candidate;
    const ageMs = nowMs - replacedMs;
    const laterCount = (replaced.currentVersions.get(datasetId) ?? 0) - version;
    const isOld = ageMs >= retentionDays * DAY_MS && laterCount > retentionVersions;
    if (ageMs < graceMs || !(isOld || heldBytes > retentionBytesMax)) continue;
    heldBytes -= byteCount;
    dropped.getOrInsertComputed(datasetId, () => []).push(candidate);
  }
  return [...dropped].map(([datasetId, candidates]) => ({
    datasetId,
    versions: candidates.map(({ version }) => version),
    firstVersion: Math.max(...candidates.map(({ version }) => version)) + 1,
    byteCount: candidates.reduce((sum, candidate) => sum + candidate.byteCount, 0),
  }));
}
