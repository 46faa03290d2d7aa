/** The files and connections that the process may have open, and failures for want of more. */

/** Connections may take half of them: the rest is for files of the lake and the stores. */
const CONNECTIONS_PART = 1 / 2;

const OUT_OF_FILES = /EMFILE|ENFILE|too many open files/i;

/** The process's limit of open files; infinite where the system sets none. */
export function openFilesMax(): number {
  const { userLimits } = process.report.getReport() as {
    userLimits?: { open_files?: { soft: number | string } };
  };
  const limit = Number(userLimits?.open_files?.soft);
  return limit > 0 ? limit : Number.POSITIVE_INFINITY;
}

/** The connections that may be open: no more than half of the process's limit of open files. */
export function affordableConnections(connectionsMax: number, filesMax: number): number {
  return Math.min(connectionsMax, Math.max(1, Math.floor(filesMax * CONNECTIONS_PART)));
}

/** That error, or cause of it, which says that too many files are open; null: another failure. */
export function outOfFilesError(error: unknown): Error | null {
  if (!(error instanceof Error)) return null;
  const { code = '' } = error as { code?: unknown };
  return OUT_OF_FILES.test(`${code} ${error.message}`) ? error : outOfFilesError(error.cause);
}

/** Whether something failed because the process, or the system, has too many files open. */
export function isOutOfFiles(error: unknown): boolean {
  return outOfFilesError(error) !== null;
}
