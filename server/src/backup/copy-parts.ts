/** Copies parts between places, such as a home and a folder of backups: those that are not there yet. */
import { freeBytes } from '../base/disk-problem.ts';
import { UsageError } from '../base/errors.ts';
import { type PartStorage, UnreadablePartError } from '../engine/engine.ts';
import type { DigestedPart } from '../engine/stored-parts.ts';
import { eachKeptPart, type KeptPart, type KeptParts } from '../store/kept-parts.ts';

/** Further ones are only counted. */
const SHOWN_DAMAGES = 20;

export interface CopyReport {
  readonly partCount: number;
  readonly storedByteCount: number;
  readonly copiedPartCount: number;
  readonly copiedByteCount: number;
}

export interface PartCopying {
  /** Of the parts that the copy is to hold. */
  readonly index: KeptParts;
  readonly from: PartStorage;
  readonly to: PartStorage;
  /** As `StoredParts.copyTo` and `takeFrom` do. */
  readonly copy: (part: DigestedPart, signal: AbortSignal) => Promise<void>;
  /** A folder on the disk that the copies go to; null: they go to none that could be full. */
  readonly diskFolder: string | null;
  readonly signal: AbortSignal;
  /** Called with the share of the bytes that is there. */
  readonly onProgress: (share: number) => void;
}

/** Throws a `UsageError` that names them, if there are any. */
function refuseDamages(damages: readonly string[]): void {
  if (damages.length === 0) return;
  const more = damages.length - SHOWN_DAMAGES;
  throw new UsageError([
    'some parts are damaged and cannot be copied:',
    ...damages.slice(0, SHOWN_DAMAGES).map((damage) => `  ${damage}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ]);
}

/** What brings parts to a place that has some of them. */
export interface PartBringing {
  readonly index: KeptParts;
  isThere(part: KeptPart): Promise<boolean>;
  /** Rejects with an `UnreadablePartError` where the part is damaged. */
  bring(part: KeptPart): Promise<void>;
  readonly signal: AbortSignal;
  readonly onProgress: (share: number) => void;
}

/**
 * Rejects with a `UsageError` where the disk of the folder has no room for what is not there, by the sizes where it
 * comes from; null: what is brought goes to no disk that could be full.
 */
export async function requireRoom(
  diskFolder: string | null,
  { index, isThere }: Pick<PartBringing, 'index' | 'isThere'>,
): Promise<void> {
  if (diskFolder === null) return;
  let missingBytes = 0;
  for await (const part of eachKeptPart(index)) {
    if (!(await isThere(part))) missingBytes += part.storedByteCount;
  }
  const free = freeBytes(diskFolder);
  if (missingBytes <= free) return;
  throw new UsageError(
    `${diskFolder} has room for ${free} bytes, but ${missingBytes} have to be copied; free some space`,
  );
}

/** What is wrong with the part; null: it is there now. */
async function damageOf(part: KeptPart, { bring }: PartBringing): Promise<string | null> {
  try {
    await bring(part);
    return null;
  } catch (error) {
    if (error instanceof UnreadablePartError) return error.message;
    throw error;
  }
}

/**
 * Brings every part of the index that is not there. Rejects with a `UsageError` that names the damaged ones, after all
 * others are there.
 */
export async function bringParts(bringing: PartBringing): Promise<CopyReport> {
  const { index, signal, onProgress } = bringing;
  const { partCount, storedByteCount } = await index.keptTotals();
  const damages: string[] = [];
  let [doneBytes, copiedPartCount, copiedByteCount] = [0, 0, 0];
  for await (const part of eachKeptPart(index)) {
    signal.throwIfAborted();
    if (!(await bringing.isThere(part))) {
      const damage = await damageOf(part, bringing);
      if (damage !== null) damages.push(damage);
      copiedPartCount++;
      copiedByteCount += part.storedByteCount;
    }
    doneBytes += part.storedByteCount;
    onProgress(doneBytes / Math.max(1, storedByteCount));
  }
  refuseDamages(damages);
  return { partCount, storedByteCount, copiedPartCount, copiedByteCount };
}

/** Copies every part that is not there in its size; one that is there was checked when it was copied. */
export async function copyParts(copying: PartCopying): Promise<CopyReport> {
  const { index, from, to, copy, diskFolder, signal, onProgress } = copying;
  const bringing: PartBringing = {
    ...{ index, signal, onProgress },
    isThere: async (part) => (await to.findDamage(part)) === null,
    bring: async (part) => {
      const damage = await from.findDamage(part);
      if (damage !== null) throw new UnreadablePartError(damage, null);
      await copy(part, signal);
    },
  };
  await requireRoom(diskFolder, bringing);
  return await bringParts(bringing);
}
