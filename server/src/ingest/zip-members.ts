/** The members of a zip file, each a CSV file, read as streams. */
import { crc32 } from 'node:zlib';
import { type Entry, openPromise as openZip, type ZipFile } from 'yauzl';
import { UsageError } from '../base/errors.ts';
import { failureReason, pathFailure } from '../base/failure-text.ts';
import type { CsvSource } from './load-sources.ts';
import type { ReadFile } from './stored-bytes.ts';
import { checkedText } from './unpacked-text.ts';

type ReadZip = Pick<ReadFile, 'path' | 'signal' | 'onBytes'>;

/** What the library says of a file that it cannot read, which is the file's fault; other failures stay as they are. */
function zipFault(error: unknown): unknown {
  if (error instanceof UsageError || failureReason(error) !== null) return error;
  return new UsageError(`the zip file is damaged: ${(error as Error).message}`);
}

async function* readMember(
  zip: ZipFile,
  entry: Entry,
  { signal, onBytes }: ReadZip,
): AsyncGenerator<Buffer> {
  const packedShare = entry.compressedSize / Math.max(1, entry.uncompressedSize);
  let sum = 0;
  let byteCount = 0;
  try {
    for await (const chunk of await zip.openReadStreamPromise(entry)) {
      signal.throwIfAborted();
      sum = crc32(chunk, sum);
      byteCount += chunk.length;
      yield chunk;
      onBytes(byteCount * packedShare);
    }
  } catch (error) {
    throw signal.aborted ? error : zipFault(error);
  }
  if (sum !== entry.crc32) throw new UsageError('the zip file is damaged: wrong checksum');
}

async function membersOf(zip: ZipFile, path: string): Promise<Entry[]> {
  const members: Entry[] = [];
  for await (const entry of zip.eachEntry()) {
    // Folders, and what macOS adds to its archives.
    if (entry.fileName.endsWith('/') || entry.fileName.startsWith('__MACOSX/')) continue;
    if (!entry.canDecodeFileData()) {
      const name = `${path}/${entry.fileName}`;
      throw new UsageError(`${name} is encrypted, or compressed by a method that is not supported`);
    }
    members.push(entry);
  }
  if (members.length === 0) throw new UsageError(`${path} is a zip file with no files in it`);
  return members;
}

/** The members in the archive's order; the file stays open until the last one has been read. */
export async function* zipMembers(displayName: string, file: ReadZip): AsyncGenerator<CsvSource> {
  const zip = await openZip(file.path, { autoClose: false }).catch((error: Error) => {
    if (failureReason(error) !== null) throw pathFailure(displayName, error);
    throw new UsageError(`${displayName}: the zip file is damaged: ${error.message}`);
  });
  try {
    let doneBytes = 0;
    const members = await membersOf(zip, displayName).catch((error: unknown) => {
      const fault = zipFault(error) as Error;
      throw fault === error ? error : new UsageError(`${displayName}: ${fault.message}`);
    });
    for (const entry of members) {
      const before = doneBytes;
      const onBytes = (bytes: number) => file.onBytes(before + bytes);
      const open = () => checkedText(readMember(zip, entry, { ...file, onBytes }));
      yield { format: 'csv', displayName: `${displayName}/${entry.fileName}`, open };
      doneBytes += entry.compressedSize;
    }
  } finally {
    zip.close();
  }
}
