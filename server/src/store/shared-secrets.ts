/** Secrets that all servers of a store have in common, each a text with a name. */
export interface SharedSecrets {
  /** Null: there is none. */
  read(name: string): Promise<string | null>;

  /** Keeps what `make` makes of what there is, which nobody else changes meanwhile, and gives it back. */
  change<T extends string | null>(name: string, make: (current: string | null) => T): Promise<T>;
}
