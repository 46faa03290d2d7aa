/** By which clock filters of times are read, and which short forms they may have. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TimeZone } from '../../src/time/time-zone.ts';
import { openTestService, type TestService } from '../harness.ts';

const DATE = '2025-06-18';
/** Bars are at these hours in Chicago, which is five behind UTC. */
const HOURS = [0, 8, 9, 10];
const textOf = (hour: number) => `${DATE}T${`${hour}`.padStart(2, '0')}:30:00-05:00`;

async function openFutures(filterTimeZone: TimeZone | null): Promise<TestService> {
  const service = await openTestService({ filterTimeZone });
  const { columns } = service.dataset('fut_trades_1min');
  const rows = HOURS.map((hour) => {
    const values: Record<string, unknown> = {
      TradeDate: DATE,
      BarDateTime: BigInt(Date.parse(textOf(hour))) * 1_000_000n,
      Ticker: 'ESU5',
      BaseSymbol: 'ES',
    };
    return columns.map(({ name }) => (values[name] ?? null) as never);
  });
  await service.publish('fut_trades_1min', rows);
  return service;
}

describe.each<[string, TimeZone | null, number[]]>([
  ['of the market', null, [9, 10]],
  ['that a setting names', 'America/New_York', [8, 9, 10]],
])('filters of times by the clock %s', (_, zone, fromNine) => {
  let service: TestService;
  beforeAll(async () => {
    service = await openFutures(zone);
  });
  afterAll(() => service.close());

  const ask = (filter: string) =>
    service.get(`/v1/data/us-futures/fut-trades-1min?BaseSymbol=ES&${filter}`);
  async function timesOf(filter: string): Promise<string[]> {
    const { data } = (await ask(filter)).json() as { data: { BarDateTime: string }[] };
    return data.map((row) => row.BarDateTime);
  }

  it.each([`${DATE}T09:30`, `${DATE}T09:30:00.000000000`])(
    'read %s without an offset so',
    async (time) => {
      expect(await timesOf(`BarDateTime.ge=${time}`)).toEqual(fromNine.map(textOf));
    },
  );

  it('read a time with an offset alike, and answer in local time of the market', async () => {
    expect(await timesOf(`BarDateTime=${DATE}T14:30Z`)).toEqual([textOf(9)]);
  });

  it('take a date for its midnight', async () => {
    expect(await timesOf(`BarDateTime.ge=${DATE}&BarDateTime.lt=2025-06-19`)).toEqual(
      HOURS.map(textOf),
    );
    expect(await timesOf(`BarDateTime.lt=${DATE}`)).toEqual([]);
  });

  it.each(['eq', 'gt', 'le', 'in'])(
    'refuse a date with %s, which might mean its day',
    async (operator) => {
      const answer = await ask(`BarDateTime.${operator}=${DATE}`);
      expect([answer.statusCode, answer.json()]).toEqual([
        422,
        {
          detail: [
            expect.objectContaining({
              loc: ['query', `BarDateTime.${operator}`],
              msg: `Cannot parse the filter value '${DATE}' as DateTime`,
              ctx: { accepts: expect.stringContaining('for ge and lt also YYYY-MM-DD') },
            }),
          ],
        },
      ]);
    },
  );

  it('are told by the form of the dataset', async () => {
    const { datasetId } = service.dataset('fut_trades_1min');
    const form = (await service.get(`/v1/meta/datasets/${datasetId}/query`)).json();
    expect(form).toMatchObject({
      time_zone: 'America/Chicago',
      filter_time_zone: zone ?? 'America/Chicago',
    });
  });
});
