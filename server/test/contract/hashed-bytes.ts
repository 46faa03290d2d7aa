/** Counts the bytes that this process hashes piece by piece, as bodies are. */
import { createHash } from 'node:crypto';

export interface HashedBytes {
  /** Since it was last asked. */
  take(): number;
  restore(): void;
}

export function countHashedBytes(): HashedBytes {
  const prototype = Object.getPrototypeOf(createHash('sha256'));
  const { update } = prototype;
  let count = 0;
  prototype.update = function counted(data: string | Buffer, ...rest: unknown[]) {
    count += data.length;
    return update.call(this, data, ...rest);
  };
  return {
    take: () => {
      const taken = count;
      count = 0;
      return taken;
    },
    restore: () => {
      prototype.update = update;
    },
  };
}
