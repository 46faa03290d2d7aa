/** Files of parts in object storage that are in part on the node's disk, too. */
import { LOCAL_FILES } from '../local-files.ts';
import type { FileReading, PartFiles } from '../part-files.ts';
import type { PartCache } from './part-cache.ts';

/**
 * Reads files from the disk if they are there, keeps on it what is put, and nothing of what is removed. For what is
 * sent and written, not for what is to be verified.
 */
export function cachedFiles(objects: PartFiles, cache: PartCache): PartFiles {
  const locationOf = (file: string) => file.slice(objects.root.length + 1);
  const through = async <T>(
    file: string,
    use: (place: FileReading, name: string) => Promise<T>,
  ): Promise<T> => {
    const path = cache.pathOf(file);
    try {
      if (path !== null) return await use(LOCAL_FILES, path);
    } catch {
      // The cache had to drop it meanwhile.
    }
    return await use(objects, file);
  };
  return {
    ...objects,
    size: (file) => through(file, (place, name) => place.size(name)),
    tail: (file, byteCount) => through(file, (place, name) => place.tail(name, byteCount)),
    read: (file, start, end) => through(file, (place, name) => place.read(name, start, end)),
    open: (file) => through(file, (place, name) => place.open(name)),
    put: async (written, file) => {
      await objects.put(written, file);
      // It is in the lake, whatever becomes of the copy.
      await cache.take(written, locationOf(file)).catch(() => undefined);
    },
    remove: async (file) => {
      await objects.remove(file);
      cache.drop(locationOf(file));
    },
  };
}
