/**
 * The place and the owner of a lake's parts. They lie in one place, which every process that opens
 * the lake has to name. A mark beside them names the one store whose deployment may add and remove
 * some. A copy of that store, such as a restored dump, reads the same parts and changes nothing
 * until it has claimed them.
 */
import { UsageError } from '../base/errors.ts';
import type { PartStorage } from '../engine/engine.ts';
import type { LakeIndex } from '../store/lake-index.ts';

/** The folder of the home. */
export const IN_HOME = 'the home';

/** The problem with looking for parts in a place; null if they are there. */
export async function placeProblem(
  { moves }: Pick<LakeIndex, 'moves'>,
  place: string,
): Promise<string | null> {
  const noted = await moves.settlePlace(place);
  if (noted === place) return null;
  return `its parts are in ${noted}, not in ${place}; correct TICKLAKE_LAKE, or move them with ticklake engine copy`;
}

/**
 * Rejects with a `UsageError` where the parts are in another place: two places would share one
 * index.
 */
export async function requirePlace(index: Pick<LakeIndex, 'moves'>, place: string): Promise<void> {
  const problem = await placeProblem(index, place);
  if (problem !== null) throw new UsageError(`the lake cannot be opened: ${problem}`);
}

interface OwnerMark {
  readonly deployment: string;
  /** The store, as no copy of it is called; see `LakeMoves`. */
  readonly store: string;
  /** The place, as no copy of it is called; see `PlaceMark`. */
  readonly place: string;
  /** One more for each claim. The store notes its own. */
  readonly epoch: number;
}

interface Options {
  readonly index: Pick<LakeIndex, 'moves'>;
  readonly storage: Pick<PartStorage, 'mark'>;
  readonly deployment: string;
}

export class LakeOwner {
  readonly #options: Options;
  #problem: string | null = null;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Why nothing may be changed, as `look` found last; null: the parts are the store's own. */
  get problem(): string | null {
    return this.#problem;
  }

  /**
   * Looks again. Parts without a mark, or with one that was copied along with them, become the
   * store's own.
   */
  async look(): Promise<string | null> {
    const other = await this.#other();
    this.#problem = other && othersText(other);
    return this.#problem;
  }

  /** Rejects with a `UsageError` where the parts are another store's. */
  async require(): Promise<void> {
    const problem = await this.look();
    if (problem !== null) throw new UsageError(`nothing was changed: ${problem}`);
  }

  /** Makes the parts the store's own; `takenFrom`: null if nobody else had them. */
  async claim(): Promise<{ readonly epoch: number; readonly takenFrom: OwnerMark | null }> {
    const takenFrom = await this.#other();
    if (takenFrom) await this.#take(takenFrom.epoch);
    await this.require();
    return { epoch: await this.#options.index.moves.epoch(), takenFrom };
  }

  /** The mark of another store; null: there is none. */
  async #other(): Promise<OwnerMark | null> {
    const { storage, index, deployment } = this.#options;
    const { mark } = storage;
    if (!mark) return null;
    let found = await this.#read();
    if (!found || found.place !== (await mark.place())) {
      await this.#take(found?.epoch ?? 0, found === null);
      found = await this.#read();
    }
    if (!found) throw new Error('the mark of the lake is gone again');
    const isOwn =
      found.deployment === deployment && found.store === (await index.moves.storeName());
    // Less than the store's own: another process has noted a claim and not written it yet.
    return isOwn && found.epoch <= (await index.moves.epoch()) ? null : found;
  }

  async #read(): Promise<OwnerMark | null> {
    const text = await this.#options.storage.mark?.read();
    return text == null ? null : JSON.parse(text);
  }

  /** Notes the epoch before the mark: a mark without a note would be another store's. */
  async #take(epochBefore: number, isFirst = false): Promise<void> {
    const { storage, index, deployment } = this.#options;
    const epoch = Math.max(epochBefore, await index.moves.epoch()) + 1;
    await index.moves.noteEpoch(epoch);
    const store = await index.moves.storeName();
    const place = (await storage.mark?.place()) ?? '';
    const mark: OwnerMark = { deployment, store, place, epoch };
    await storage.mark?.write(`${JSON.stringify(mark)}\n`, isFirst);
  }
}

function othersText({ deployment, epoch }: OwnerMark): string {
  return (
    `the parts belong to another store (deployment ${deployment}, epoch ${epoch}), and this one only reads them; ` +
    'if that store is gone for good, run ticklake lake claim'
  );
}
