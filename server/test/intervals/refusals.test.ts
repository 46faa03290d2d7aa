import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestService, type TestService } from '../harness.ts';

const BARS = '/v1/data/us-equity/eq-trades-1min?Ticker=AAA';
const BULK = BARS.replace('/data/', '/bulk/');
const DAILY = '/v1/data/us-equity/eq-daily-ohlc?Ticker=AAA';
const TICKS = '/v1/data/us-equity/eq-trades/2025-06-18/AAA?';

let service: TestService;
beforeAll(async () => {
  service = await openTestService();
});
afterAll(() => service.close());

it.each<[string, string, RegExp]>([
  [`${BARS}&interval=7m`, 'interval', /Input should be '5m', '10m'.* or '1mo'/],
  [`${DAILY}&interval=1h`, 'interval', /Input should be '1w' or '1mo' for this dataset/],
  [`${TICKS}interval=1h`, 'interval', /does not apply|not apply/],
  [`${BARS}&interval=1h&columns=Ticker,Nope`, 'columns', /Nope/],
  [
    `${BARS}&adjusted=true&interval=1h&columns=PriceAdjFactor`,
    'columns',
    /do not have .*PriceAdjFactor; they have TradeDate, /,
  ],
  [
    `${BARS}&interval=1h&Volume.gt=5`,
    'Volume.gt',
    /should be on 'TradeDate', 'BarDateTime', 'Ticker' or 'ASID'/,
  ],
  [
    `${BARS}&adjusted=true&interval=1h&sort=-PriceAdjFactor`,
    'sort',
    /do not have .*PriceAdjFactor;/,
  ],
  [`${BULK}&interval=1h&sort=Volume`, 'sort', /does not apply to bulk/],
  [`${BULK}&interval=1h&Volume.gt=5`, 'Volume.gt', /should be on 'TradeDate'/],
  [`${BULK}&interval=7m`, 'interval', /Input should be '5m'/],
])('%s is refused, naming %s', async (url, name, message) => {
  const answer = await service.get(url);
  expect(answer.statusCode, answer.body).toBe(422);
  const { detail } = answer.json() as { detail: { loc: string[]; msg: string }[] };
  const problem = detail.find(({ loc }) => loc[1] === name);
  expect(problem?.msg).toMatch(message);
});

it('an answer without rows has the columns of the bars', async () => {
  const answer = await service.get(`${BARS}&interval=1h&response_format=csv`);
  expect(answer.statusCode).toBe(200);
  const header = answer.body.split('\n')[0] ?? '';
  expect(header.replaceAll('"', '').split(',')).toEqual([
    ...['TradeDate', 'BarDateTime', 'Ticker', 'ASID'],
    ...['FirstTradePrice', 'HighTradePrice', 'LowTradePrice', 'LastTradePrice'],
    ...['VolumeWeightPrice', 'Volume', 'TotalTrades'],
  ]);
});

it('changes between versions are those of the stored bars', async () => {
  const { columns } = service.dataset('eq_trades_1min');
  const row = columns.map(({ name }) => (name === 'TradeDate' ? '2025-06-18' : null));
  await service.publish('eq_trades_1min', [row]);
  const answer = await service.get('/v1/meta/datasets/US1014/changes?from=1&interval=1h');
  expect(answer.statusCode, answer.body).toBe(422);
  expect(answer.body).toContain('interval does not apply to changes');
});
