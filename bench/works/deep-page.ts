/** The first page of a walk in natural order against the one that ends half a million rows in. */
import type { TickPage } from '../data/data-set.ts';
import { type Benchmark, ms } from '../finding.ts';
import { median, race } from '../measure.ts';

const PAGE_ROWS = 10_000;
const LAST_OFFSET = 490_000;

export const DEEP_PAGE: Benchmark = {
  name: 'deep-page',
  run: async ({ data, turns, client }) => {
    const read = async (turn: number, offset: number) => {
      const { date, ticker } = data.flagshipPages[turn % data.flagshipPages.length] as TickPage;
      const path = `/data/us-equity/eq-taq/${date}/${ticker}`;
      await client.read(`${path}?limit=${PAGE_ROWS}&offset=${offset}`);
    };
    const times = await race(turns, {
      first: (turn) => read(turn, 0),
      last: (turn) => read(turn, LAST_OFFSET),
    });
    const first = median(times.first);
    const last = median(times.last);
    return [
      {
        work: 'page 50 of a 500,000-row walk, natural order',
        measured: `page at ${LAST_OFFSET} ${ms(last)}`,
        compared: `page at 0 ${ms(first)}`,
        figure: Math.max(last / first, first / last),
        unit: '',
        target: { is: 'at most', value: 1.3 },
        details: { firstMs: first, lastMs: last },
      },
    ];
  },
};
