/**
 * A short mark of how partitions are laid out, found by publishing a few rows and looking at the
 * file and the index: data that an earlier layout was published with is generated anew.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { ingestFiles } from '../../src/ingest/ingest-files.ts';
import { openLake } from '../../src/open-home.ts';
import { openCatalog } from '../../src/open-services.ts';
import { openRawEngine } from '../raw-engine.ts';
import { dailyBarsSql, minuteBarsSql } from './bar-rows.ts';
import { listings } from './listings.ts';
import { SMALL } from './sizes.ts';
import { tickRowsSql } from './tick-rows.ts';

/** More ticks than a row group is likely to hold. */
const SAMPLE_ROWS = 100_000;
const DAYS = Array.from({ length: 20 }, (_, i) => `2024-07-${`${i + 1}`.padStart(2, '0')}`);

const METADATA = `row_group_id, row_group_num_rows, path_in_schema, type, compression, encodings,
  stats_min_value IS NULL, dictionary_page_offset IS NULL, bloom_filter_offset IS NULL,
  bloom_filter_length`;

export async function layoutMark(): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'ticklake-layout-'));
  mkdirSync(join(home, 'source'));
  const catalog = openCatalog(home, null);
  const lake = await openLake({ home }, systemClock);
  const raw = await openRawEngine(join(home, 'spill'));
  const hash = createHash('sha256');
  const all = listings(SMALL.tickers);
  const samples = {
    eq_taq: () => tickRowsSql({ ...SMALL, flagships: 0, ticksPerDay: SAMPLE_ROWS }, all, 0),
    eq_taq_1min: () => minuteBarsSql(catalog.byTextId('eq_taq_1min')!, all.slice(0, 1), DAYS),
    eq_daily_ohlc: () => dailyBarsSql(catalog.byTextId('eq_daily_ohlc')!, all, DAYS),
  };
  try {
    for (const [textId, sql] of Object.entries(samples)) {
      const dataset = catalog.byTextId(textId);
      if (!dataset) throw new Error(`no dataset ${textId}`);
      const file = join(home, 'source', `${textId}.parquet`);
      await raw.run(`COPY (${sql()}) TO '${file}' (FORMAT parquet)`);
      await ingestFiles({
        ...{ lake, dataset, files: [file], mode: 'replace', maxBadRows: 0, vendor: null },
        signal: new AbortController().signal,
        onProgress: () => {},
      });
      const snapshot = await lake.snapshot(dataset.datasetId);
      if (!snapshot) continue;
      const rowGroups = await snapshot.rowGroups(snapshot.parts);
      for (const [index, { key, location }] of snapshot.parts.entries()) {
        const metadata = await raw.runAndReadAll(
          `SELECT ${METADATA} FROM parquet_metadata('${join(lake.directory, location)}')`,
        );
        const bounds = (rowGroups[index] ?? []).map((group) => Object.keys(group.bounds));
        hash.update(JSON.stringify([textId, key, metadata.getRowsJson(), bounds]));
      }
    }
  } finally {
    raw.closeSync();
    await lake.close();
    rmSync(home, { recursive: true, force: true });
  }
  return hash.digest('hex').slice(0, 10);
}
