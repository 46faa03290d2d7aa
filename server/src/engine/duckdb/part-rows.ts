/** Reads the rows of partition files again and computes the digests of their content. */
import { join } from 'node:path';
import type { DuckDBInstance } from '@duckdb/node-api';
import type { TryLock } from '../../base/process-lock.ts';
import { digestOfLanes } from '../content-digest.ts';
import type { PartRowsReader, RowsRead } from '../engine.ts';
import type { StoredColumn } from '../part.ts';
import { DIGEST_LANES, rowDigestSql } from './loading/content-digest-sql.ts';
import { openStageSpace } from './loading/stage-space.ts';
import { selectRows } from './loading/stage-table.ts';
import { openLockedInstance } from './locked-instance.ts';
import type { EngineAccess } from './objects/engine-access.ts';
import type { PartFiles } from './part-files.ts';
import { interruptOnAbort } from './reading/query-connections.ts';
import { quoteText } from './sql-text.ts';

export interface PartRowsOptions {
  readonly files: PartFiles;
  /** How an engine may read them; absent: they lie in a folder. */
  readonly access?: (() => EngineAccess) | undefined;
  readonly stagingDirectory: string;
  readonly tryLock: TryLock;
  readonly memoryLimitMegabytes: number;
}

function digestQuery(files: readonly string[], columns: readonly StoredColumn[]): string {
  return `SELECT count(*), ${DIGEST_LANES}
    FROM (SELECT ${rowDigestSql(columns)} FROM read_parquet([${files.map(quoteText).join(', ')}]))`;
}

/** Reads rows on one connection of an engine of its own. */
async function partRowsOf(
  instance: DuckDBInstance,
  { filesOf, root }: PartFiles,
  access: EngineAccess | undefined,
  discard: () => void,
): Promise<PartRowsReader> {
  const connection = await instance.connect();
  const readFiles = async (
    files: readonly string[],
    columns: readonly StoredColumn[],
    signal: AbortSignal,
  ): Promise<RowsRead> => {
    signal.throwIfAborted();
    await access?.renew(instance);
    const release = interruptOnAbort(connection, signal);
    try {
      const found = await selectRows(connection, digestQuery(files, columns));
      const [[rowCount, upper, lower] = []] = found;
      // The sums of no rows are null.
      const contentDigest = digestOfLanes((upper ?? 0n) as bigint, (lower ?? 0n) as bigint);
      return { rowCount: Number(rowCount), contentDigest };
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      release();
    }
  };
  return {
    read: async ({ location, storedColumns }, signal) => {
      const [file, ...ordered] = await filesOf(`${root}/${location}`);
      const rows = await readFiles([file as string], storedColumns, signal);
      if (ordered.length === 0) return { rows, identifierOrder: null };
      return { rows, identifierOrder: await readFiles(ordered, storedColumns, signal) };
    },
    close: async () => {
      connection.closeSync();
      instance.closeSync();
      discard();
    },
  };
}

export async function openPartRows(
  { files, access: open, stagingDirectory, tryLock, memoryLimitMegabytes }: PartRowsOptions,
  threadCount: number,
): Promise<PartRowsReader> {
  const space = openStageSpace(stagingDirectory, tryLock);
  try {
    const access = open?.();
    const instance = await openLockedInstance({
      directory: files.root,
      ...(access && { access, otherDirectories: [space.directory] }),
      spillDirectory: join(space.directory, 'spill'),
      memoryLimitMegabytes,
      threadCount,
    });
    return await partRowsOf(instance, files, access, space.discard);
  } catch (error) {
    space.discard();
    throw error;
  }
}
