/** One day of a ticker with few ticks against the engine's bare query for the same rows. */
import type { TickPage } from '../data/data-set.ts';
import { type Benchmark, raceClickHouse, ratio, type ServedBench } from '../finding.ts';
import { race } from '../measure.ts';
import { readAll, selectSql } from '../raw-engine.ts';
import type { Selection } from '../selection.ts';

/** Keeps the turns apart from one another in the list of tickers. */
const STRIDE = 37;
const LIMIT = 10_000;

function selectionOf({ date, ticker, file }: TickPage): Selection {
  const conditions = `TradeDate = '${date}' AND Ticker = '${ticker}'`;
  // The service asks for one row more, to know whether there is a next page.
  return { table: 'eq_taq', file, conditions, limit: LIMIT + 1 };
}

export const RARE_TICKER: Benchmark<ServedBench> = {
  name: 'rare-ticker',
  run: async (bench) => {
    const { data, turns, raw, client } = bench;
    const pageOf = (turn: number) =>
      data.rarePages[(turn * STRIDE) % data.rarePages.length] as TickPage;
    const times = await race(turns, {
      page: async (turn) => {
        const { date, ticker } = pageOf(turn);
        await client.read(`/data/us-equity/eq-taq/${date}/${ticker}?limit=${LIMIT}`);
      },
      query: async (turn) => {
        const { ticker, rowCount } = pageOf(turn);
        const found = await readAll(raw, selectSql(selectionOf(pageOf(turn))));
        if (found !== rowCount) throw new Error(`${found} rows of ${ticker}, not ${rowCount}`);
      },
    });
    const others = await raceClickHouse(bench, (engine, turn, source) =>
      engine.read(selectionOf(pageOf(turn)), source),
    );
    const goal = { work: 'one day of one rare ticker', target: { is: 'under', value: 2 } } as const;
    const page = { name: 'page', times: times.page };
    return [{ ...ratio(goal, page, { name: 'bare query', times: times.query }), ...others }];
  },
};
