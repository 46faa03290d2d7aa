/**
 * Moves a lake to a place where parts are stored in another form: the rows of every part are read, stored there and
 * compared by their digest. Only when all are there do the versions read them there, all at once.
 */
import { UsageError } from '../base/errors.ts';
import type { Catalog, Dataset } from '../catalog/dataset.ts';
import { type EngineReader, type PartStorage, UnreadablePartError } from '../engine/engine.ts';
import type { WrittenPart } from '../engine/part.ts';
import { planOfAll } from '../engine/plan-of-all.ts';
import { datasetAsStored } from '../engine/stored-columns.ts';
import type { KeptPart } from '../store/kept-parts.ts';
import type { IndexedPart, LakeIndex } from '../store/lake-index.ts';
import { bringParts, type CopyReport, type PartBringing, requireRoom } from './copy-parts.ts';

export interface PartMoving {
  readonly index: LakeIndex;
  /** Has the datasets of all parts. */
  readonly catalog: Catalog;
  /** Of the engine that has the parts. */
  readonly reader: Pick<EngineReader, 'scan'>;
  readonly to: PartStorage;
  /** The names of both places, by which an interrupted move is found again. */
  readonly from: string;
  readonly place: string;
  /** A folder on the disk that the parts go to; null: they go to none that could be full. */
  readonly diskFolder: string | null;
  readonly signal: AbortSignal;
  /** Called with the share of the bytes that is there. */
  readonly onProgress: (share: number) => void;
}

async function isThere({ index, to, place }: PartMoving, { id }: KeptPart): Promise<boolean> {
  const begun = await index.moves.begunMove(place, id);
  return begun?.isWhole === true && (await to.findDamage(begun)) === null;
}

/** The dataset as it was when the part was written. */
function datasetOf({ catalog }: PartMoving, { datasetId, storedColumns }: IndexedPart): Dataset {
  const dataset = catalog.byId(datasetId);
  if (dataset) return datasetAsStored(dataset, storedColumns);
  throw new UsageError(
    `the catalogue has no dataset ${datasetId}, of which the lake has parts; define it, or run ticklake withdraw`,
  );
}

/** Stores the rows of a part, which come in natural order. */
async function writeRows(
  { reader, to, signal }: PartMoving,
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

/** What a move was writing that was killed, or what is damaged by now. */
async function removeBegun({ index, to, place }: PartMoving, { id }: KeptPart): Promise<void> {
  const begun = await index.moves.begunMove(place, id);
  if (begun) await to.remove([begun.location]);
}

async function movePart(moving: PartMoving, kept: KeptPart): Promise<void> {
  const { index, to, place } = moving;
  const part = (await index.versions.part(kept.id)) as IndexedPart;
  const stored = datasetOf(moving, part);
  await removeBegun(moving, kept);
  const location = to.newLocation(stored, part.key);
  await index.moves.noteMoving(place, kept.id, location);
  const written = await writeRows(moving, stored, part, location);
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

/** What nobody can finish in another place, and what is there already. */
async function requireMovable({ index, place, from }: PartMoving): Promise<void> {
  const running = await index.ledger.running();
  if (running.length > 0) {
    throw new UsageError('a publication is open; commit or abandon it first');
  }
  const noted = await index.moves.settlePlace(from);
  if (noted === place) throw new UsageError(`the lake is in ${place} already`);
  if (noted !== from) throw new UsageError(`the lake is in ${noted}; copy it from there`);
}

/**
 * Moves every part; one that is there already, in its size, was compared when it was moved. Rejects with a
 * `UsageError` where parts are damaged or something is being published: nothing has changed then, and the next move
 * to the place goes on where this one ended. The publishing lock is held.
 */
export async function moveParts(moving: PartMoving): Promise<CopyReport> {
  await requireMovable(moving);
  const { index, place, diskFolder, signal, onProgress } = moving;
  const bringing: PartBringing = {
    ...{ index: index.space, signal, onProgress },
    isThere: (part) => isThere(moving, part),
    bring: (part) => movePart(moving, part),
  };
  await requireRoom(diskFolder, bringing);
  const report = await bringParts(bringing);
  await index.moves.finishMove(place);
  return report;
}
