/** Brings partition files that an earlier release wrote to the current format. */
import { constants, copyFileSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { synchronizeFile, synchronizeFolder } from '../../base/synchronize.ts';
import type { PartitionFormat } from '../engine.ts';
import { editFooter, readFooter } from './parquet-footer.ts';
import { withUtcColumns } from './utc-columns.ts';

export function partitionFormat(file: string): PartitionFormat {
  try {
    const footer = readFooter(file);
    return withUtcColumns(footer) === footer ? 'current' : 'outdated';
  } catch {
    return 'unreadable';
  }
}

/** As `StagingEngine.upgradeFile` says. What a crash leaves, the next try removes. */
export function upgradePartitionFile(file: string): void {
  const upgraded = `${file}.upgraded`;
  rmSync(upgraded, { force: true });
  copyFileSync(file, upgraded, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  editFooter(upgraded, withUtcColumns);
  synchronizeFile(upgraded);
  renameSync(upgraded, file);
  synchronizeFolder(dirname(file));
}
