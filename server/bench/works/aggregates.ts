/** Groups of rows, next to the same question to DuckDB by itself, over the same files. */
import { type Benchmark, type Finding, ratio, type ServedBench } from '../finding.ts';
import { race } from '../measure.ts';
import { readAll } from '../raw-engine.ts';

const RATIO_MAX = 1.5;

interface Question {
  readonly work: string;
  readonly path: string;
  readonly sql: string;
}

function questionsOf({ data }: ServedBench): Question[] {
  const { dailyYears: years } = data.sizes;
  const [start, end] = [`${years[0]}-01-01`, `${years.at(-1)}-12-31`];
  const dates = `TradeDate.ge=${start}&TradeDate.le=${end}&period=${years.length}Y`;
  const files = [...data.dailyFiles.values()].map((file) => `'${file}'`).join(', ');
  const values = ['sum(DailyVolume)', 'min(LowPrice)', 'max(HighPrice)', 'avg(ClosePrice)'];
  const select = ['count', ...values].join(',');
  const measures = ['count(*)', ...values].join(', ');
  const from = `FROM read_parquet([${files}]) WHERE TradeDate BETWEEN '${start}' AND '${end}'`;
  const daily = '/data/us-equity/eq-daily-ohlc/aggregate';
  return [
    {
      work: `${years.length} years of daily bars by ticker, Arrow: time`,
      path: `${daily}?${dates}&by=Ticker&select=${select}&response_format=arrow`,
      sql: `SELECT Ticker, ${measures} ${from} GROUP BY Ticker ORDER BY Ticker`,
    },
    {
      work: `${years.length} years of daily bars, the median and deviation by month, JSON: time`,
      path: `${daily}?${dates}&interval=1mo&select=quantile(ClosePrice,0.5),stddev(ClosePrice)`,
      sql: `SELECT date_trunc('month', TradeDate) AS month, quantile_cont(ClosePrice, 0.5),
            stddev_samp(ClosePrice) ${from} GROUP BY month ORDER BY month`,
    },
  ];
}

async function measure(bench: ServedBench, { work, path, sql }: Question): Promise<Finding> {
  const { client, raw, turns } = bench;
  const times = await race(turns, {
    groups: () => client.read(path),
    engine: () => readAll(raw, sql),
  });
  const groups = { name: 'answer', times: times.groups };
  const engine = { name: 'query', times: times.engine };
  return ratio({ work, target: { is: 'at most', value: RATIO_MAX } }, groups, engine);
}

export const AGGREGATES: Benchmark<ServedBench> = {
  name: 'aggregates',
  reads: ['eq_daily_ohlc'],
  run: async (bench) => {
    const findings: Finding[] = [];
    for (const question of questionsOf(bench)) findings.push(await measure(bench, question));
    return findings;
  },
};
