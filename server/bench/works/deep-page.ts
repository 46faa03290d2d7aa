/**
 * A walk of half a million rows in natural order, page after page: its last page against its first
 * one, and a far page of the same rows that is asked for out of order.
 */
import type { Client } from '../client.ts';
import type { TickPage } from '../data/data-set.ts';
import { type Bench, type Benchmark, type Finding, ms } from '../finding.ts';
import { differentTurns, median, timed } from '../measure.ts';
import { withService } from '../service.ts';

const PAGE_ROWS = 10_000;
const PAGES = 50;
const OUT_OF_ORDER_PAGE = 37;

function findingOf(times: readonly number[], firstTimes: readonly number[]): Finding {
  const [page, first] = [median(times), median(firstTimes)];
  return {
    work: `page ${PAGES} of a 500,000-row walk, natural order`,
    measured: `page ${ms(page)}`,
    compared: `page at 0 ${ms(first)}`,
    figure: page / first,
    unit: '',
    target: { is: 'at most', value: 1.3 },
    details: { firstMs: first, pageMs: page },
  };
}

async function measure({ data, turns }: Bench, client: Client): Promise<Finding> {
  const outOfOrder: number[] = [];
  const walks: number[][] = [];
  const { warmUps, runs } = differentTurns(turns, data.flagshipPages.length);
  for (let turn = 0; turn < warmUps + runs; turn++) {
    const { date, ticker } = data.flagshipPages[turn] as TickPage;
    const read = (page: number, filter: string) =>
      timed(() =>
        client.read(
          `/data/us-equity/eq-taq/${date}/${ticker}?limit=${PAGE_ROWS}&offset=${page * PAGE_ROWS}${filter}`,
        ),
      );
    // A filter that lets all rows pass is another walk over the same rows. Its first page is not
    // timed, so that no page of a turn is the first to touch the day's rows.
    await read(0, '&Quantity.ge=0');
    const far = await read(OUT_OF_ORDER_PAGE, '&Quantity.ge=0');
    const walk: number[] = [];
    for (let page = 0; page < PAGES; page++) walk.push(await read(page, ''));
    if (turn < warmUps) continue;
    outOfOrder.push(far);
    walks.push(walk);
  }
  const pageTimes = (page: number) => walks.map((walk) => walk[page] as number);
  const [first, last] = [pageTimes(0), pageTimes(PAGES - 1)];
  const found = findingOf(last, first);
  const medians = Array.from({ length: PAGES }, (_, page) => median(pageTimes(page)));
  return {
    ...found,
    details: {
      ...found.details,
      // Has to look for its place first; no target speaks of it.
      outOfOrderMs: median(outOfOrder),
      allPagesMs: medians.map(ms).join(' '),
    },
  };
}

export const DEEP_PAGE: Benchmark = {
  name: 'deep-page',
  run: (bench) =>
    withService(bench.data.home, 'reading', async (_, client) => [await measure(bench, client)]),
};
