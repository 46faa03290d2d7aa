/** One day of a ticker with few ticks against the engine's bare query for the same rows. */
import type { TickPage } from '../data/data-set.ts';
import { type Benchmark, ms } from '../finding.ts';
import { median, race } from '../measure.ts';
import { readAll } from '../raw-engine.ts';

/** Keeps the turns apart from one another in the list of tickers. */
const STRIDE = 37;

export const RARE_TICKER: Benchmark = {
  name: 'rare-ticker',
  run: async ({ data, turns, raw, client }) => {
    const pageOf = (turn: number) =>
      data.rarePages[(turn * STRIDE) % data.rarePages.length] as TickPage;
    const times = await race(turns, {
      page: async (turn) => {
        const { date, ticker } = pageOf(turn);
        await client.read(`/data/us-equity/eq-taq/${date}/${ticker}?limit=10000`);
      },
      query: async (turn) => {
        const { date, ticker, file, rowCount } = pageOf(turn);
        const found = await readAll(
          raw,
          `SELECT * FROM read_parquet('${file}')
           WHERE TradeDate = DATE '${date}' AND Ticker = '${ticker}' LIMIT 10001`,
        );
        if (found !== rowCount) throw new Error(`${found} rows of ${ticker}, not ${rowCount}`);
      },
    });
    const page = median(times.page);
    const query = median(times.query);
    return [
      {
        work: 'one day of one rare ticker',
        measured: `page ${ms(page)}`,
        compared: `bare query ${ms(query)}`,
        figure: page / query,
        unit: '',
        target: { is: 'under', value: 2 },
        details: { pageMs: page, queryMs: query },
      },
    ];
  },
};
