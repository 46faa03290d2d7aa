/** Uploads that all servers of a store have in common: their bytes as well, so that any of them goes on. */

/** How a load ended; `unchanged`: the file has no rows. */
export const END_STATES = ['published', 'unchanged', 'refused', 'failed'] as const;
/** `receiving`: bytes are missing; `waiting`: another load runs. */
export const UPLOAD_STATES = ['receiving', 'waiting', 'loading', ...END_STATES] as const;
export type UploadState = (typeof UPLOAD_STATES)[number];
export type EndState = (typeof END_STATES)[number];

export interface NewUploadRow {
  readonly uploadId: string;
  /** Who sends it, as the audit log says it. */
  readonly actor: string;
  /** JSON of what else is known from the beginning. */
  readonly given: string;
  readonly createdAtMs: number;
}

export interface UploadRow extends NewUploadRow {
  /** When its last byte came, or its load ended. */
  readonly changedAtMs: number;
  /** Bytes that have come. */
  readonly offset: number;
  readonly state: UploadState;
  /** JSON of how its load ended; null: it has not. */
  readonly end: string | null;
  /** The newest publication before its load first began; null: it never has. */
  readonly publicationBefore: number | null;
}

export interface UploadCounts {
  readonly ofActor: number;
  readonly all: number;
}

/** Every method is one transaction. A server is known by a name that it has made up. */
export interface SharedUploads {
  /**
   * Begins an upload, unless as many are open for its actor, or kept in all; resolves with what there was
   * before.
   */
  create(upload: NewUploadRow, maxima: UploadCounts): Promise<UploadCounts>;

  find(uploadId: string): Promise<UploadRow | null>;

  /** Bytes of all uploads that have not ended. */
  openBytes(): Promise<number>;

  /**
   * Keeps bytes and moves the offset, both or none. False where the next byte is another one, or none is
   * awaited any more.
   */
  append(uploadId: string, offset: number, bytes: Buffer, nowMs: number): Promise<boolean>;

  /** All bytes, in their order. */
  bytesOf(uploadId: string): AsyncIterable<Buffer>;

  /**
   * Has a server load what has come. False where that is not what it was, or where so many wait
   * already.
   */
  complete(
    uploadId: string,
    offset: number,
    serverId: string,
    waitingMax: number,
  ): Promise<boolean>;

  /** Notes that a load begins; false where another server has it. */
  beginLoad(uploadId: string, serverId: string, publicationBefore: number): Promise<boolean>;

  /** Notes how a load ended and forgets the bytes; false where another server has it. */
  end(
    uploadId: string,
    serverId: string,
    end: { readonly state: EndState; readonly text: string; readonly nowMs: number },
  ): Promise<boolean>;

  /** Leaves what a server has to load to the others, who need not wait until it counts as dead. */
  leave(serverId: string): Promise<void>;

  /** Says that a server lives; resolves with what it has to load, after it took over what dead ones had. */
  hear(serverId: string): Promise<readonly UploadRow[]>;

  /** False where it is being loaded or will be. */
  remove(uploadId: string): Promise<boolean>;

  /** Removes what came, or ended, at or before a time. */
  expire(changedMsMax: number): Promise<void>;
}
