/** A year of one ticker's minute bars as hours, against those minutes themselves, both as Arrow. */
import { type Benchmark, type Finding, ratio, type ServedBench } from '../finding.ts';
import { race } from '../measure.ts';

const PAGE_ROWS = 1_000_000;

const COLUMNS = [
  { what: 'all columns', text: '' },
  {
    what: 'open, high, low, close, average and volume',
    text: '&columns=BarDateTime,FirstTradePrice,HighTradePrice,LowTradePrice,LastTradePrice,VolumeWeightPrice,Volume',
  },
];

async function measure(
  { data, client, turns }: ServedBench,
  { what, text }: (typeof COLUMNS)[number],
): Promise<Finding> {
  const { listings, sizes, barFiles } = data;
  const read = (turn: number, interval: string) => {
    const ticker = listings[turn % sizes.barTickers]?.ticker;
    // Another limit is another page, so that none is kept from an earlier turn.
    const page = `period=20Y&limit=${PAGE_ROWS - turn}&response_format=arrow`;
    return client.read(`/data/us-equity/eq-taq-1min/${ticker}?${page}${text}${interval}`);
  };
  const times = await race(turns, {
    minutes: (turn) => read(turn, ''),
    hours: (turn) => read(turn, '&interval=1h'),
  });
  const work = `${barFiles.size} months of a ticker's minute bars as hours, ${what}`;
  const hours = { name: 'hours', times: times.hours };
  const minutes = { name: 'minutes', times: times.minutes };
  return ratio({ work, target: { is: 'at most', value: 1.3 } }, hours, minutes);
}

export const INTERVALS: Benchmark<ServedBench> = {
  name: 'intervals',
  reads: ['eq_taq_1min'],
  run: async (bench) => {
    const findings: Finding[] = [];
    for (const columns of COLUMNS) findings.push(await measure(bench, columns));
    return findings;
  },
};
