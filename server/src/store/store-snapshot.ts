/** A store's contents at one moment, to be copied while others go on. */
export interface StoreSnapshot {
  /**
   * Writes it to a new file that the same kind of store opens, only its owner may read, and is
   * whole and on disk when this resolves.
   */
  copyTo(path: string): Promise<void>;
  /** The store keeps what has changed since apart until then. */
  close(): Promise<void>;
}
