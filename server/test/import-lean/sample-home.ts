/**
 * The LEAN sample in a home that is imported once for all files of a run, of which each copies it.
 * Also the global setup of suites that read it, which gives the home its place and removes it.
 */
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { fixedClock } from '../../src/base/clock.ts';
import { loadCatalog } from '../../src/catalog/load-catalog.ts';
import { type ImportReport, importLeanFolder } from '../../src/ingest/lean/import-folder.ts';
import { tryLockFile } from '../../src/installed.ts';
import { openControlStore, openLake } from '../../src/open-home.ts';
import { until } from '../until.ts';

/** The folder of the sample, which few machines have. */
export const SAMPLE = fileURLToPath(new URL('../../../../shared/real-data/lean', import.meta.url));
export const isSampleMissing = !existsSync(SAMPLE);
const DATASETS = fileURLToPath(new URL('../../../datasets', import.meta.url));

const FOLDER = 'TICKLAKE_TEST_SAMPLE';

export default function setUp(): () => void {
  const folder = mkdtempSync(path.join(tmpdir(), 'ticklake-sample-'));
  process.env[FOLDER] = folder;
  return () => rmSync(folder, { recursive: true });
}

async function importSample(home: string): Promise<ImportReport> {
  const catalog = loadCatalog([DATASETS]);
  await (await openControlStore({ home })).close();
  const lake = await openLake({ home }, fixedClock('2025-06-20T16:00:00Z'));
  try {
    return await importLeanFolder({
      ...{ directory: SAMPLE, catalog, lake, mode: 'replace', vendor: 'LEAN', maxBadRows: 0 },
      ...{ dropSuspicious: false, signal: new AbortController().signal, onStep: () => {} },
    });
  } finally {
    await lake.close();
  }
}

/** A home with all of the sample, only to be copied, and what its import has reported. */
export async function importedSample(): Promise<{ home: string; report: ImportReport }> {
  const folder = process.env[FOLDER];
  if (folder === undefined) throw new Error('this suite lacks the global setup of the sample');
  const [home, reportFile] = [path.join(folder, 'home'), path.join(folder, 'report.json')];
  await until(async () => {
    const lock = tryLockFile(path.join(folder, 'lock'));
    // Another worker is importing it.
    if (lock === null) return false;
    try {
      if (existsSync(home)) return true;
      const building = mkdtempSync(path.join(folder, 'building-'));
      writeFileSync(reportFile, JSON.stringify(await importSample(building)));
      renameSync(building, home);
      return true;
    } finally {
      lock.release();
    }
  });
  return { home, report: JSON.parse(readFileSync(reportFile, 'utf8')) };
}
