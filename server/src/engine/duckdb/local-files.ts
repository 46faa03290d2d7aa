/** Reads files by their paths. */
import { type FileHandle, open, stat } from 'node:fs/promises';
import { openLocalFile } from '../../base/opened-file.ts';
import { cutOff } from './parquet-footer.ts';
import type { FileReading } from './part-files.ts';

async function readStretch(handle: FileHandle, start: number, end: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(end - start);
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, start);
  if (bytesRead < buffer.length) throw cutOff();
  return buffer;
}

async function withHandle<T>(path: string, use: (handle: FileHandle) => Promise<T>): Promise<T> {
  const handle = await open(path);
  try {
    return await use(handle);
  } finally {
    await handle.close();
  }
}

export const LOCAL_FILES: FileReading = {
  size: async (path) => (await stat(path)).size,
  tail: (path, byteCount) =>
    withHandle(path, async (handle) => {
      const { size } = await handle.stat();
      const bytes = await readStretch(handle, Math.max(0, size - byteCount), size);
      return { byteCount: size, bytes };
    }),
  read: (path, start, end) => withHandle(path, (handle) => readStretch(handle, start, end)),
  open: openLocalFile,
};
