/** How DuckDB tells failures of the system: in the words of the C library, and without codes. */
import {
  addFailureReader,
  type ReadFailure,
  type SystemCode,
  type SystemFailure,
} from '../../base/failure-text.ts';

/** The first one that a message holds counts. */
const CODE_OF_WORDS: readonly (readonly [words: string, code: SystemCode])[] = [
  ['No such file or directory', 'ENOENT'],
  ['Not a directory', 'ENOTDIR'],
  ['Is a directory', 'EISDIR'],
  ['Permission denied', 'EACCES'],
  ['Operation not permitted', 'EACCES'],
  ['Too many levels of symbolic links', 'ELOOP'],
  ['File name too long', 'ENAMETOOLONG'],
  ['Too many open files in system', 'ENFILE'],
  ['Too many open files', 'EMFILE'],
  ['No space left on device', 'ENOSPC'],
  ['Disk quota exceeded', 'EDQUOT'],
  ['File too large', 'EFBIG'],
  ['Read-only file system', 'EROFS'],
  ['Input/output error', 'EIO'],
];

const OUT_OF_MEMORY: SystemFailure = {
  subject: 'the engine',
  effect: 'cannot go on',
  reason: 'it is out of memory',
  remedy: 'load fewer files at a time',
};

const MESSAGE = /^[A-Z]\w*( \w+)* Error: /;
const PATH_IN_MESSAGE = /"([^"]+)"/;

function readFailure({ message }: Error): ReadFailure | null {
  if (!MESSAGE.test(message)) return null;
  const [, code] = CODE_OF_WORDS.find(([words]) => message.includes(words)) ?? [];
  if (code !== undefined) return { failure: code, subject: PATH_IN_MESSAGE.exec(message)?.[1] };
  return message.includes('Out of Memory Error') ? { failure: OUT_OF_MEMORY } : null;
}

addFailureReader(readFailure);
