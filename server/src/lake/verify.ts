/**
 * Reads all that is stored of a lake again and finds what is missing, cut off, altered or left
 * over, and rows that are not those that were published. Others may publish and read meanwhile.
 * Memory stays bounded whatever the number of parts.
 */
import { failureText } from '../base/failure-text.ts';
import type { PartRowsReader, PartStorage, RowsRead } from '../engine/engine.ts';
import { eachKeptPart, type KeptPart, type KeptTotals } from '../store/kept-parts.ts';
import type { LakeIndex } from '../store/lake-index.ts';

export type LakeProblem =
  | {
      /** A part that cannot be read as it was published. */
      readonly kind: 'damaged';
      readonly datasetId: string;
      readonly key: string;
      /** True if the current version has it, false if only earlier ones do. */
      readonly isCurrent: boolean;
      /** The problem, for the operator. */
      readonly message: string;
    }
  | {
      /** Something is stored that the index does not know. */
      readonly kind: 'left over';
      readonly location: string;
    };

/** How far a check has come; the next one may go on from it. */
export interface VerifyPosition {
  /** Id of the last part that was looked at; 0 before the first one. */
  readonly partId: number;
  readonly checked: KeptTotals;
}

export const START: VerifyPosition = { partId: 0, checked: { partCount: 0, storedByteCount: 0 } };

export interface VerifyOptions {
  readonly index: LakeIndex;
  readonly storage: PartStorage;
  /** Reads the rows, too, and holds their content digest against the index; null: the bytes do. */
  readonly rowsReader: PartRowsReader | null;
  readonly signal: AbortSignal;
  readonly onProblem: (problem: LakeProblem) => void;
  /** Called after each part, with the share of the bytes that was read. */
  readonly onProgress: (position: VerifyPosition, share: number) => void;
}

function rowsText({ rowCount, contentDigest }: RowsRead): string {
  return `${rowCount} with the digest ${contentDigest}`;
}

/** Compares the rows of an unaltered part with those that were published; null if they are equal */
async function rowDamageOf(
  { id, location }: KeptPart,
  rowsReader: PartRowsReader,
  { index, signal }: VerifyOptions,
): Promise<string | null> {
  const published = await index.versions.part(id);
  // Dropped meanwhile.
  if (!published) return null;
  const read = await rowsReader.read(published, signal);
  const stored = { rows: read.rows, 'rows by identifier': read.identifierOrder };
  for (const [what, found] of Object.entries(stored)) {
    if (!found || rowsText(found) === rowsText(published)) continue;
    return (
      `the ${what} of the part at ${location} are not those that were published: ` +
      `${rowsText(found)}, where ${rowsText(published)} were published`
    );
  }
  return null;
}

/**
 * Reads all that is stored of a part; null: it is as it was written. Rejects if it cannot be read.
 */
export async function alteration(
  { location, digest }: Pick<KeptPart, 'location' | 'digest'>,
  storage: Pick<PartStorage, 'digestOf'>,
  signal: AbortSignal,
): Promise<string | null> {
  const found = await storage.digestOf(location, signal);
  return found === digest ? null : `the part at ${location} is altered`;
}

async function damageOf(part: KeptPart, options: VerifyOptions): Promise<string | null> {
  const { storage, rowsReader, signal } = options;
  const damage = await storage.findDamage(part);
  if (damage !== null) return damage;
  try {
    const altered = await alteration(part, storage, signal);
    return altered ?? (rowsReader && (await rowDamageOf(part, rowsReader, options)));
  } catch (error) {
    signal.throwIfAborted();
    return `the part at ${part.location} cannot be read: ${failureText(error)}`;
  }
}

/** Looks at all parts behind a position; resolves to the last one. */
export async function verifyParts(
  options: VerifyOptions,
  from: VerifyPosition,
): Promise<VerifyPosition> {
  const { index, signal, onProblem, onProgress } = options;
  const total = await index.space.keptTotals();
  let position = from;
  for await (const part of eachKeptPart(index.space, from.partId)) {
    signal.throwIfAborted();
    const { datasetId, key, isCurrent, location, storedByteCount } = part;
    const message = await damageOf(part, options);
    // One that nobody needs any longer may have been removed meanwhile.
    if (message !== null && (await index.space.keepsLocation(location))) {
      onProblem({ kind: 'damaged', datasetId, key, isCurrent, message });
    }
    const { checked } = position;
    position = {
      partId: part.id,
      checked: {
        partCount: checked.partCount + 1,
        storedByteCount: checked.storedByteCount + storedByteCount,
      },
    };
    onProgress(position, position.checked.storedByteCount / Math.max(1, total.storedByteCount));
  }
  return position;
}

/** Finds what is stored where the index knows of nothing. */
export async function findLeftovers({
  index,
  storage,
  signal,
  onProblem,
}: VerifyOptions): Promise<void> {
  for await (const location of storage.locations()) {
    signal.throwIfAborted();
    // The index knows of a location before anything is there and until nothing is.
    if (await index.space.knowsLocation(location)) continue;
    const isThere = (await storage.findDamage({ location, storedByteCount: 0 })) === null;
    if (isThere) onProblem({ kind: 'left over', location });
  }
}
