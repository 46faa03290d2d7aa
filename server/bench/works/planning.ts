/**
 * From the text of a request to its plan, for a dataset of 2,500 daily partitions, each with as
 * many row groups as a day of ticks has. Every turn plans a day that was not planned before. The
 * files have been removed before, so no plan can have opened one.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenServices } from '../../src/open-services.ts';
import { planQuery } from '../../src/plan/plan-query.ts';
import { chooseDataset, parseDataRequest } from '../../src/request/data-request.ts';
import { utcDay } from '../../src/store/usage.ts';
import { marketDate } from '../../src/time/market-time.ts';
import { openBenchServices, tradingDays } from '../data/data-set.ts';
import { PLANNED_DATASET, planningHome } from '../data/many-partitions.ts';
import { type Benchmark, ms } from '../finding.ts';
import { median, timed } from '../measure.ts';

const FIRST_DATE = '2015-06-01';

async function planText(services: OpenServices, accountId: number, date: string, ticker: string) {
  const { catalog, store, lake, clock, config } = services;
  const request = parseDataRequest(
    {
      ...{ group: 'us-equity', segment: 'eq-taq', pathParameters: [date, ticker] },
      queryString: 'columns=EventDateTime,Price,Quantity&Quantity.ge=100&limit=10000',
    },
    config,
  );
  const dataset = chooseDataset(request, catalog);
  const rules = store.replica.rulesOfDataset(accountId, dataset.datasetId);
  const snapshot = await lake.snapshot(dataset.datasetId);
  const today = { market: marketDate(dataset.timeZone, clock.now()), utc: utcDay(clock.now()) };
  return await planQuery({ request, dataset, snapshot, rules, today });
}

export const PLANNING: Benchmark = {
  name: 'planning',
  run: async ({ data, turns }) => {
    const dates = tradingDays(FIRST_DATE, data.sizes.planningDays);
    const home = await planningHome(data, dates);
    const services = await openBenchServices(home);
    rmSync(join(home, 'lake', PLANNED_DATASET), { recursive: true, force: true });
    try {
      const accountId = (await services.store.accounts.findByName('demo'))?.accountId ?? 0;
      const ticker = data.flagshipPages[0]?.ticker ?? '';
      await services.store.catchUp();
      const plan = async (turn: number) => {
        const date = dates[(turn * 97) % dates.length] as string;
        const made = await planText(services, accountId, date, ticker);
        if (made.parts.length !== 1) throw new Error(`${date}: no partition`);
      };
      const firstMs = await timed(() => plan(0));
      const times: number[] = [];
      for (let turn = 1; turn <= turns.warmUps + 10 * turns.runs; turn++) {
        const each = await timed(() => plan(turn));
        if (turn > turns.warmUps) times.push(each);
      }
      const found = median(times);
      const snapshot = await services.lake.snapshot('US1032');
      const [rowGroups = []] = (await snapshot?.rowGroups(snapshot.parts.slice(0, 1))) ?? [];
      return [
        {
          work: `planning against ${dates.length} daily partitions`,
          measured: ms(found),
          compared: `${rowGroups.length} row groups a day; the first plan took ${ms(firstMs)}`,
          figure: found,
          unit: ' ms',
          target: { is: 'under', value: 3 },
          details: { planMs: found, firstPlanMs: firstMs, slowestMs: Math.max(...times) },
        },
      ];
    } finally {
      await services.close();
    }
  },
};
