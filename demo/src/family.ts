/** A group of datasets whose rows come out of one pass, in natural order in each of them. */
import type { RowBuffers } from 'ticklake/engine/row-buffer.ts';

export interface DemoFamily {
  readonly name: string;
  readonly textIds: readonly string[];
  /** Appends the rows, pausing after each portion so that full batches can be taken. */
  produce(buffers: RowBuffers): Iterable<void>;
}
