/**
 * Walks over all pages where the natural order does not help: under a filter on an ordinary column,
 * and under a sort of another order. Their time is compared with that of one COPY of the same rows
 * in the same order to a CSV file.
 */
import { join } from 'node:path';
import type { TickPage } from '../data/data-set.ts';
import { type Benchmark, ratio, type ServedBench } from '../finding.ts';
import { differentTurns, median, race } from '../measure.ts';
import { exactColumns } from '../raw-engine.ts';

const PAGE_ROWS = 30_000;

interface Walk {
  readonly name: string;
  readonly title: string;
  readonly query: string;
  /** The query's condition as SQL. */
  readonly condition: string;
  readonly order: string;
}

const WALKS: readonly Walk[] = [
  {
    name: 'walk-filtered',
    title: 'walk under a filter on Quantity',
    query: 'Quantity.ge=200',
    condition: 'Quantity >= 200',
    order: '',
  },
  {
    name: 'walk-sorted',
    title: 'walk sorted by Price, descending',
    query: 'sort=-Price',
    condition: 'true',
    order: 'ORDER BY Price DESC NULLS LAST, file_row_number',
  },
];

/** Follows the pages to the end; resolves with their number. */
async function walk({ client }: ServedBench, path: string): Promise<number> {
  let pageCount = 0;
  for (let offset = '0'; offset !== ''; pageCount++) {
    const { headers } = await client.read(`${path}&offset=${offset}`);
    offset = `${headers['x-pagination-next-offset'] ?? ''}`;
  }
  return pageCount;
}

function walkBenchmark({ name, title, query, condition, order }: Walk): Benchmark<ServedBench> {
  return {
    name,
    run: async (bench) => {
      const { data, raw, turns } = bench;
      const pageOf = (turn: number) => data.flagshipPages[turn] as TickPage;
      const rowsSql = ({ date, ticker, file }: TickPage) =>
        `FROM (SELECT ${exactColumns('eq_taq')}
           FROM read_parquet('${file}', file_row_number = true))
         WHERE TradeDate = DATE '${date}' AND Ticker = '${ticker}' AND ${condition}`;
      const pageCounts: number[] = [];
      const rowCounts: number[] = [];
      const times = await race(differentTurns(turns, data.flagshipPages.length), {
        walk: async (turn) => {
          const { date, ticker } = pageOf(turn);
          const path = `/data/us-equity/eq-taq/${date}/${ticker}?${query}`;
          pageCounts[turn] = await walk(bench, `${path}&response_format=csv&limit=${PAGE_ROWS}`);
        },
        copy: async (turn) => {
          const file = join(data.scratch, 'walk.csv');
          const result = await raw.run(
            `COPY (SELECT * EXCLUDE (file_row_number) ${rowsSql(pageOf(turn))} ${order})
             TO '${file}' (FORMAT csv, HEADER true)`,
          );
          rowCounts[turn] = result.rowsChanged;
        },
      });
      const wrong = rowCounts.findIndex((rows, t) => Math.ceil(rows / PAGE_ROWS) !== pageCounts[t]);
      if (wrong !== -1) throw new Error(`${pageCounts[wrong]} pages of ${rowCounts[wrong]} rows`);
      const work = `${title}, ${Math.round(median(rowCounts) / 1000)},000 rows`;
      const pages = { name: `${median(pageCounts)} CSV pages`, times: times.walk };
      const target = { is: 'at most', value: 2 } as const;
      return [ratio({ work, target }, pages, { name: 'COPY', times: times.copy })];
    },
  };
}

export const WALK_BENCHMARKS: readonly Benchmark<ServedBench>[] = WALKS.map(walkBenchmark);
