/** Files of parts in object storage that are in part on the node's disk, too. */
import { LOCAL_FILES } from '../local-files.ts';
import type { FileReading, PartFiles } from '../part-files.ts';
import type { PartCache } from './part-cache.ts';

/** Reads them from the disk where they are there: for what is sent, not for what is to be verified. */
export function readThrough(files: PartFiles, cache: PartCache): PartFiles {
  const through = async <T>(
    file: string,
    use: (place: FileReading, name: string) => Promise<T>,
  ): Promise<T> => {
    const path = cache.pathOf(file);
    try {
      if (path !== null) return await use(LOCAL_FILES, path);
    } catch {
      // It had to go meanwhile.
    }
    return await use(files, file);
  };
  return {
    ...files,
    size: (file) => through(file, (place, name) => place.size(name)),
    tail: (file, byteCount) => through(file, (place, name) => place.tail(name, byteCount)),
    read: (file, start, end) => through(file, (place, name) => place.read(name, start, end)),
    open: (file) => through(file, (place, name) => place.open(name)),
  };
}

/** Keeps on the disk what is put, and nothing of what is removed. */
export function keptBeside(files: PartFiles, cache: PartCache): PartFiles {
  const locationOf = (file: string) => file.slice(files.root.length + 1);
  return {
    ...files,
    put: async (written, file) => {
      await files.put(written, file);
      // It is in the lake, whatever becomes of the copy.
      await cache.take(written, locationOf(file)).catch(() => undefined);
    },
    remove: async (file) => {
      await files.remove(file);
      cache.drop(locationOf(file));
    },
  };
}
