/** Copies the parts that a place lacks: a folder of backups, a home, object storage or a cluster */
import { freeBytes } from '../base/disk-problem.ts';
import { UsageError } from '../base/errors.ts';
import type { Catalog, Dataset } from '../catalog/dataset.ts';
import {
  type DigestedPart,
  type EngineReader,
  type PartStorage,
  UnreadablePartError,
} from '../engine/engine.ts';
import type { WrittenPart } from '../engine/part.ts';
import { planOfAll } from '../engine/plan-of-all.ts';
import { datasetAsStored } from '../engine/stored-columns.ts';
import { eachKeptPart, type KeptPart, type KeptParts } from '../store/kept-parts.ts';
import type { IndexedPart, LakeIndex } from '../store/lake-index.ts';

/** Further ones are only counted. */
const SHOWN_DAMAGES = 20;

export interface CopyReport {
  readonly partCount: number;
  readonly storedByteCount: number;
  readonly copiedPartCount: number;
  readonly copiedByteCount: number;
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

/** Which parts a place lacks, and how one comes there. */
export interface PartCopier {
  isThere(part: KeptPart): Promise<boolean>;
  /** Rejects with an `UnreadablePartError` if the part is damaged. */
  bring(part: KeptPart): Promise<void>;
}

export interface PartCopying extends PartCopier {
  /** Names the parts that the copy must hold. */
  readonly index: KeptParts;
  /** A folder on the disk that the copies go to; null: they go to none that could be full. */
  readonly diskFolder: string | null;
  readonly signal: AbortSignal;
  /** Called with the share of the bytes that is there. */
  readonly onProgress: (share: number) => void;
}

/**
 * Rejects with a `UsageError` if the disk has no room for what is missing, by the sizes where it
 * comes from.
 */
async function requireRoom({ index, diskFolder, isThere }: PartCopying): Promise<void> {
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

/** The damage that keeps the part from being copied; null if it is there now. */
async function damageOf(part: KeptPart, { bring }: PartCopier): Promise<string | null> {
  try {
    await bring(part);
    return null;
  } catch (error) {
    if (error instanceof UnreadablePartError) return error.message;
    throw error;
  }
}

/**
 * Copies every part of the index that is not there. Rejects with a `UsageError` that names the
 * damaged ones, after all others are there.
 */
export async function copyParts(copying: PartCopying): Promise<CopyReport> {
  await requireRoom(copying);
  const { index, signal, onProgress } = copying;
  const { partCount, storedByteCount } = await index.keptTotals();
  const damages: string[] = [];
  let [doneBytes, copiedPartCount, copiedByteCount] = [0, 0, 0];
  for await (const part of eachKeptPart(index)) {
    signal.throwIfAborted();
    if (!(await copying.isThere(part))) {
      const damage = await damageOf(part, copying);
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

/**
 * Between places that store parts alike. One that is there in its size was checked when it was
 * copied.
 */
export function sameParts(
  from: Pick<PartStorage, 'findDamage'>,
  to: Pick<PartStorage, 'findDamage'>,
  copy: (part: DigestedPart) => Promise<void>,
): PartCopier {
  return {
    isThere: async (part) => (await to.findDamage(part)) === null,
    bring: async (part) => {
      const damage = await from.findDamage(part);
      if (damage !== null) throw new UnreadablePartError(damage, null);
      await copy(part);
    },
  };
}

/** Between places of an engine that can copy its parts to another home. */
export function copiedParts(
  from: Pick<PartStorage, 'findDamage' | 'copyTo'>,
  to: Pick<PartStorage, 'findDamage'>,
  home: string,
  signal: AbortSignal,
): PartCopier {
  const { copyTo } = from;
  if (!copyTo) throw new Error('this engine does not copy its parts');
  return sameParts(from, to, (part) => copyTo(part, home, signal));
}

export interface PartConversion {
  readonly index: LakeIndex;
  /** Has the datasets of all parts. */
  readonly catalog: Catalog;
  /** Reads the parts in the place they are copied from. */
  readonly reader: Pick<EngineReader, 'scan'>;
  readonly to: PartStorage;
  /** Name of the place they go to, by which an interrupted copy is found again. */
  readonly place: string;
  readonly signal: AbortSignal;
}

/** The dataset as it was when the part was written. */
function datasetOf(
  { catalog }: PartConversion,
  { datasetId, storedColumns }: IndexedPart,
): Dataset {
  const dataset = catalog.byId(datasetId);
  if (dataset) return datasetAsStored(dataset, storedColumns);
  throw new UsageError(
    `the catalogue has no dataset ${datasetId}, of which the lake has parts; define it, or run ticklake withdraw`,
  );
}

/** Stores the rows of a part, which come in natural order. */
async function writeRows(
  { reader, to, signal }: PartConversion,
  stored: Dataset,
  part: IndexedPart,
  location: string,
): Promise<WrittenPart> {
  const writer = await to.openWriter(stored, signal);
  try {
    for await (const batch of reader.scan(planOfAll(stored, [part]), signal)) {
      await writer.append(batch);
      batch.release?.();
    }
    const written = await writer.write(part.key, location, null);
    await writer.flush();
    return written;
  } finally {
    await writer.close();
  }
}

/** Removes what a killed copy was writing, or what is damaged by now. */
async function removeBegun({ index, to, place }: PartConversion, { id }: KeptPart): Promise<void> {
  const begun = await index.moves.begunMove(place, id);
  if (begun) await to.remove([begun.location]);
}

async function convertPart(conversion: PartConversion, kept: KeptPart): Promise<void> {
  const { index, to, place } = conversion;
  const part = (await index.versions.part(kept.id)) as IndexedPart;
  const stored = datasetOf(conversion, part);
  await removeBegun(conversion, kept);
  const location = to.newLocation(stored, part.key);
  await index.moves.noteMoving(place, kept.id, location);
  const written = await writeRows(conversion, stored, part, location);
  if (written.contentDigest !== part.contentDigest || written.rowCount !== part.rowCount) {
    await to.remove([location]);
    throw new UnreadablePartError(
      `the rows of the part at ${part.location} are not those that were published`,
      null,
    );
  }
  const { digest, byteCount, storedByteCount, rowGroups, identifierOrder } = written;
  await index.moves.noteMoved(place, {
    ...{ partId: kept.id, location, digest, byteCount, storedByteCount, rowGroups },
    ...(identifierOrder && { identifierOrder }),
  });
}

/**
 * To a place that stores parts in another form: the rows of each are read, stored there and
 * compared by their digest. One that is there in its size was compared before, so that a copy goes
 * on where another one was interrupted.
 */
export function convertedParts(conversion: PartConversion): PartCopier {
  const { index, to, place } = conversion;
  return {
    isThere: async ({ id }) => {
      const begun = await index.moves.begunMove(place, id);
      return begun?.isWhole === true && (await to.findDamage(begun)) === null;
    },
    bring: (part) => convertPart(conversion, part),
  };
}
