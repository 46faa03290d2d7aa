/** Reading what may be missing: files, folders and objects. */

/** Throws the error unless it says that there is no such file, folder or object. */
export function nullIfMissing(error: unknown): null {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
  throw error;
}

/** Null where what `read` needs is missing. */
export function ifThere<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    return nullIfMissing(error);
  }
}
