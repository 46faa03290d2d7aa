/**
 * Frees the memory of chunks that nobody reads any more. The engine's memory of a chunk is freed when the runtime
 * collects its young garbage, and the runtime does not know how large it is: left to itself, it would let some
 * hundred chunks wait.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { DuckDBDataChunk } from '@duckdb/node-api';

type Collect = (options: { readonly type: 'minor' }) => void;

/** A context has the function if the flag is set while it is made. */
function collector(): Collect {
  setFlagsFromString('--expose-gc');
  const collect: Collect = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  return collect;
}

const collect = collector();

/** Each is 16 to 32 KiB. A collection takes about a millisecond. */
const VECTORS_MAX = 512;

let vectorCount = 0;

/** Counts a chunk that has been read, and collects garbage once there are enough of them. */
export function countReadChunk({ columnCount }: DuckDBDataChunk): void {
  vectorCount += columnCount;
  if (vectorCount < VECTORS_MAX) return;
  vectorCount = 0;
  collect({ type: 'minor' });
}
