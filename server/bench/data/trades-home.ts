/** A home with a day of trades: as many, of as many tickers, as the data set has ticks of a day. */
import { join } from 'node:path';
import { openRawEngine } from '../raw-engine.ts';
import { buildOnce } from './build-once.ts';
import { type DataSet, load, openBenchServices } from './data-set.ts';
import { TRADES, tickRowsSql } from './tick-rows.ts';

const DAY = 0;

export async function tradesHome({ home, sizes, listings }: DataSet): Promise<string> {
  const folder = `${home}-trades`;
  await buildOnce(folder, async (building) => {
    const services = await openBenchServices(building);
    const raw = await openRawEngine(join(building, 'spill'));
    const trades = {
      dataset: 'eq_trades',
      what: `trades of ${sizes.tickDays[DAY]}`,
      sql: () => tickRowsSql(sizes, listings, DAY, TRADES),
    };
    try {
      await load(services, raw, trades, listings, join(building, 'source.parquet'));
    } finally {
      raw.closeSync();
      await services.close();
    }
  });
  return folder;
}
