/**
 * How long a page of ticks takes over HTTP on loopback, next to the engine's own COPY of the same
 * rows to a file. Both are timed in turn in one run; the ratio of their medians is the result.
 * `npm run bench` prints a table; `npm run bench -- --json` the same as JSON.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { buildApp } from '../src/app.ts';
import { systemClock } from '../src/clock.ts';
import { readConfig } from '../src/config.ts';
import { prepareDemoAccount } from '../src/demo/demo-account.ts';
import { openServices } from '../src/open-services.ts';
import { tickBatches } from './ticks.ts';

const WARM_UPS = 3;
const RUNS = 15;
const TICKS_PER_TICKER = 200_000;
const TICKERS = ['AAA', 'BBB', 'CCC', 'DDD', 'EEE', 'FFF', 'GGG', 'HHH', 'III', 'JJJ'];
const TRADE_DATE = '2025-06-18';
const TICKER = 'EEE';

interface Work {
  readonly name: string;
  readonly format: string;
  readonly rowCount: number;
  /** Options of the engine's COPY that write the same kind of file. */
  readonly copy: string;
}

const WORKS: readonly Work[] = [
  { name: 'JSON', format: 'json', rowCount: 10_000, copy: 'FORMAT json, ARRAY true' },
  { name: 'CSV', format: 'csv', rowCount: 30_000, copy: 'FORMAT csv, HEADER true' },
  {
    name: 'gzip CSV',
    format: 'csv_gzip',
    rowCount: 80_000,
    copy: 'FORMAT csv, HEADER true, COMPRESSION gzip',
  },
];

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] as number;

async function timed(work: () => Promise<number>): Promise<{ ms: number; bytes: number }> {
  const start = performance.now();
  const bytes = await work();
  return { ms: performance.now() - start, bytes };
}

async function compare(work: Work, read: () => Promise<number>, copy: () => Promise<number>) {
  const page: number[] = [];
  const own: number[] = [];
  let pageBytes = 0;
  let copyBytes = 0;
  for (let run = -WARM_UPS; run < RUNS; run++) {
    const served = await timed(read);
    const copied = await timed(copy);
    pageBytes = served.bytes;
    copyBytes = copied.bytes;
    if (run < 0) continue;
    page.push(served.ms);
    own.push(copied.ms);
  }
  return {
    work: `${work.rowCount} ticks, ${work.name}`,
    pageMs: median(page),
    copyMs: median(own),
    ratio: median(page) / median(own),
    pageBytes,
    copyBytes,
  };
}

async function main(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'ticklake-bench-'));
  const config = { ...readConfig({ TICKLAKE_LOG_LEVEL: 'silent' }), home, port: 0 };
  const services = await openServices(config, systemClock);
  const app = buildApp(services);
  const engine = await (await DuckDBInstance.create(':memory:', { threads: '2' })).connect();
  try {
    const { catalog, lake, store } = services;
    const dataset = catalog.byTextId('eq_taq');
    if (!dataset) throw new Error('no dataset eq_taq');
    const batches = tickBatches(dataset, TRADE_DATE, TICKERS, TICKS_PER_TICKER);
    await lake.publish({ dataset, mode: 'replace', vendor: 'Bench', batches });
    const [partition] = lake.snapshot(dataset.datasetId)?.partitions ?? [];
    const key = prepareDemoAccount(store, catalog, home, systemClock.now());
    const origin = await app.listen({ host: '127.0.0.1', port: 0 });
    const results = [];
    for (const work of WORKS) {
      const url = `${origin}/v1/data/us-equity/eq-taq/${TRADE_DATE}/${TICKER}?limit=${work.rowCount}&response_format=${work.format}`;
      const read = async () => {
        const answer = await fetch(url, { headers: { 'x-api-key': key } });
        if (answer.status !== 200) throw new Error(await answer.text());
        return (await answer.arrayBuffer()).byteLength;
      };
      const target = join(home, 'copy.out');
      const copy = async () => {
        await engine.run(
          `COPY (SELECT * FROM read_parquet('${partition?.file}')
            WHERE TradeDate = '${TRADE_DATE}' AND Ticker = '${TICKER}' LIMIT ${work.rowCount})
            TO '${target}' (${work.copy})`,
        );
        return statSync(target).size;
      };
      results.push(await compare(work, read, copy));
    }
    report(results);
  } finally {
    await app.close();
    await services.close();
    engine.closeSync();
    rmSync(home, { recursive: true, force: true });
  }
}

function report(results: readonly Awaited<ReturnType<typeof compare>>[]): void {
  if (process.argv.includes('--json')) {
    console.log(JSON.stringify({ machine: cpus()[0]?.model, cores: cpus().length, results }));
    return;
  }
  console.log(`${cpus().length} × ${cpus()[0]?.model}; medians of ${RUNS} after ${WARM_UPS}`);
  console.table(
    results.map(({ work, pageMs, copyMs, ratio, pageBytes, copyBytes }) => ({
      work,
      'page ms': pageMs.toFixed(1),
      'COPY ms': copyMs.toFixed(1),
      'time ratio': ratio.toFixed(2),
      'size ratio': (pageBytes / copyBytes).toFixed(2),
    })),
  );
}

await main();
