import { setImmediate as nextTurn } from 'node:timers/promises';
import { releaseBlock } from './byte-sink.ts';

/** Bytes that are copied before other requests have their turn. */
const COPIED_BYTES_PER_TURN = 4 * 1024 * 1024;

/** The bytes of all blocks, which are given back. */
export async function joined(blocks: readonly Buffer[]): Promise<Buffer> {
  const body = Buffer.allocUnsafeSlow(blocks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  let turnEnd = COPIED_BYTES_PER_TURN;
  for (const block of blocks) {
    if (at >= turnEnd) {
      await nextTurn();
      turnEnd = at + COPIED_BYTES_PER_TURN;
    }
    at += block.copy(body, at);
    releaseBlock(block);
  }
  return body;
}
