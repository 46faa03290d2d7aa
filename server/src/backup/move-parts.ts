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
import { eachKeptPart, type KeptPart } from '../store/kept-parts.ts';
import { type IndexedPart, type LakeIndex, PublicationConflict } from '../store/lake-index.ts';
import { type CopyReport, refuseDamages } from './copy-parts.ts';

export interface PartMoving {
  readonly index: LakeIndex;
  /** Has the datasets of all parts. */
  readonly catalog: Catalog;
  /** Of the engine that has the parts. */
  readonly reader: Pick<EngineReader, 'scan'>;
  readonly to: PartStorage;
  /** What an interrupted move is found again by. */
  readonly place: string;
  readonly signal: AbortSignal;
  /** Called with the share of the bytes that is there. */
  readonly onProgress: (share: number) => void;
}

async function isThere({ index, to, place }: PartMoving, { id }: KeptPart): Promise<boolean> {
  const moved = await index.moves.movedPart(place, id);
  return moved !== null && (await to.findDamage(moved)) === null;
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

async function movePart(moving: PartMoving, { id }: KeptPart): Promise<void> {
  const { index, to, place } = moving;
  const part = (await index.versions.part(id)) as IndexedPart;
  const stored = datasetOf(moving, part);
  const location = to.newLocation(stored, part.key);
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
    ...{ partId: id, location, digest, byteCount, storedByteCount, rowGroups },
    ...(identifierOrder && { identifierOrder }),
  });
}

/** What is wrong with the part; null: it is there. */
async function damageOf(moving: PartMoving, part: KeptPart): Promise<string | null> {
  try {
    await movePart(moving, part);
    return null;
  } catch (error) {
    if (error instanceof UnreadablePartError) return error.message;
    throw error;
  }
}

/** The index names the parts of one place; those of another one are not where it says. */
async function requireElsewhere({ index, to, place }: PartMoving): Promise<void> {
  const [first] = await index.space.keptParts(0, 1);
  if (!first || (await to.findDamage(first)) !== null) return;
  throw new UsageError(`the lake is in ${place} already`);
}

async function moveAll(moving: PartMoving): Promise<CopyReport> {
  const { index, place, signal, onProgress } = moving;
  const { partCount, storedByteCount } = await index.space.keptTotals();
  const damages: string[] = [];
  let [doneBytes, copiedPartCount, copiedByteCount] = [0, 0, 0];
  for await (const part of eachKeptPart(index.space)) {
    signal.throwIfAborted();
    if (!(await isThere(moving, part))) {
      const damage = await damageOf(moving, part);
      if (damage !== null) damages.push(damage);
      copiedPartCount++;
      copiedByteCount += part.storedByteCount;
    }
    doneBytes += part.storedByteCount;
    onProgress(doneBytes / Math.max(1, storedByteCount));
  }
  refuseDamages(damages);
  await index.moves.finishMove(place);
  return { partCount, storedByteCount, copiedPartCount, copiedByteCount };
}

/**
 * Moves every part; one that is there already, in its size, was compared when it was moved. Rejects with a
 * `UsageError` where parts are damaged or something is being published: nothing has changed then, and the next move
 * to the place goes on where this one ended.
 */
export async function moveParts(moving: PartMoving): Promise<CopyReport> {
  const lock = await moving.index.publishers.tryLock();
  if (!lock) throw new UsageError('something is being published; try again when that has ended');
  try {
    await requireElsewhere(moving);
    return await moveAll(moving);
  } catch (error) {
    if (!(error instanceof PublicationConflict)) throw error;
    throw new UsageError(`the lake cannot be moved: ${error.message}; end or abort it first`);
  } finally {
    await lock.release();
  }
}
