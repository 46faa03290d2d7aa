/**
 * The first page of a walk in natural order against the one that ends half a million rows in: come
 * to by walking, and another far one asked for out of order.
 */
import type { TickPage } from '../data/data-set.ts';
import { type Benchmark, type Finding, ms } from '../finding.ts';
import { median, timed } from '../measure.ts';

const PAGE_ROWS = 10_000;
const LAST_OFFSET = 490_000;
/** Of the pages before the last one, as many are asked for first as a walk has just read. */
const WALKED_PAGES = 2;
const OUT_OF_ORDER_OFFSET = 240_000;

function finding(work: string, times: readonly number[], firstTimes: readonly number[]): Finding {
  const [page, first] = [median(times), median(firstTimes)];
  return {
    work,
    measured: `page ${ms(page)}`,
    compared: `page at 0 ${ms(first)}`,
    figure: Math.max(page / first, first / page),
    unit: '',
    target: { is: 'at most', value: 1.3 },
    details: { firstMs: first, pageMs: page },
  };
}

export const DEEP_PAGE: Benchmark = {
  name: 'deep-page',
  run: async ({ data, turns, client }) => {
    const times = { first: [] as number[], last: [] as number[], outOfOrder: [] as number[] };
    for (let turn = 0; turn < turns.warmUps + turns.runs; turn++) {
      const { date, ticker } = data.flagshipPages[turn % data.flagshipPages.length] as TickPage;
      const read = (offset: number) =>
        timed(() =>
          client.read(
            `/data/us-equity/eq-taq/${date}/${ticker}?limit=${PAGE_ROWS}&offset=${offset}`,
          ),
        );
      const first = await read(0);
      const outOfOrder = await read(OUT_OF_ORDER_OFFSET);
      for (let n = WALKED_PAGES; n > 0; n--) await read(LAST_OFFSET - n * PAGE_ROWS);
      const last = await read(LAST_OFFSET);
      if (turn < turns.warmUps) continue;
      times.first.push(first);
      times.last.push(last);
      times.outOfOrder.push(outOfOrder);
    }
    return [
      finding('page 50 of a 500,000-row walk, natural order', times.last, times.first),
      finding('page 25 of it, out of order', times.outOfOrder, times.first),
    ];
  },
};
