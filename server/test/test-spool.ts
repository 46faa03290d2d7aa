import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Spool } from '../src/base/spool.ts';

/** Takes large bodies of one test file, which closes it. */
export function testSpool(bytesMax = 1e9): Spool {
  return new Spool({ directory: join(tmpdir(), 'ticklake-test-spool'), bytesMax });
}
