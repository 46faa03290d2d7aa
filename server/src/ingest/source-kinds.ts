/** What a file is, told from its first bytes and not from its name. */

export const HEAD_BYTES = 16;
export const KINDS_READ = 'only CSV (plain, gzip, zstd or zip) and Parquet files can be loaded';

export type SourceKind = 'CSV' | 'gzip' | 'zstd' | 'zip' | 'Parquet';

/** The first bytes of files that are not CSV. */
const MAGIC: readonly (readonly [kind: string, hex: RegExp])[] = [
  ['gzip', /^1f8b/],
  // The second one is a frame without text, with which some writers begin.
  ['zstd', /^28b52ffd/],
  ['zstd', /^5.2a4d18/],
  ['zip', /^504b0304/],
  ['zip', /^504b0506/],
  ['Parquet', /^50415231/],
  ['encrypted Parquet', /^50415245/],
  ['bzip2', /^425a68/],
  ['xz', /^fd377a585a00/],
  ['UTF-16 text', /^fffe/],
  ['UTF-16 text', /^feff/],
];

/** A `SourceKind`, or the name of a kind that cannot be loaded. */
export function kindOf(head: Buffer): string {
  const hex = head.subarray(0, HEAD_BYTES).toString('hex');
  return MAGIC.find(([, magic]) => magic.test(hex))?.[0] ?? 'CSV';
}

const LOADED: readonly string[] = ['CSV', 'gzip', 'zstd', 'zip', 'Parquet'] satisfies SourceKind[];

export function isLoaded(kind: string): kind is SourceKind {
  return LOADED.includes(kind);
}
