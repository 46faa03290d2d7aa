/** `latest` in place of a trade date: the last one that the account may read. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CellValue } from '../../src/engine/columns.ts';
import type { TestService } from '../harness.ts';
import { writing } from '../writing.ts';
import { DAILY_PATH, openContractService, TICK_PATH } from './fixture.ts';

const LAST = '2025-06-18';
const BEFORE = '2025-06-17';
const LATEST_TICKS = TICK_PATH.replace(LAST, 'latest');

let service: TestService;
beforeAll(async () => {
  service = await openContractService();
});
afterAll(() => service.close());

/** The body, without what depends on how it was asked for. */
async function bodyOf(url: string): Promise<string> {
  const answer = await service.get(url);
  expect([url, answer.statusCode]).toEqual([url, 200]);
  return answer.body;
}

describe('latest', () => {
  it.each([
    [LATEST_TICKS, TICK_PATH],
    [`${DAILY_PATH}?TradeDate=latest`, `${DAILY_PATH}?TradeDate=${LAST}`],
    [`${DAILY_PATH}?TradeDate.lt=latest`, `${DAILY_PATH}?TradeDate.lt=${LAST}`],
    [`${DAILY_PATH}?TradeDate.in=${BEFORE},latest`, `${DAILY_PATH}?TradeDate.in=${BEFORE},${LAST}`],
  ])('is the last published trade date: %s', async (asked, dated) => {
    const body = await bodyOf(asked);
    expect(body).toBe(await bodyOf(dated));
    expect(JSON.parse(body).data).not.toEqual([]);
  });

  it('becomes its date in the link to the next page, which names the same rows later', async () => {
    const byFilter = await service.get(`${DAILY_PATH}?TradeDate.ge=latest&limit=1`);
    expect(byFilter.headers.link).toContain(`TradeDate.ge=${LAST}&`);
    const byPath = await service.get(`${LATEST_TICKS}?limit=1`);
    expect(byPath.headers.link).toContain(`${TICK_PATH}?`);
    expect(byPath.headers.link).not.toContain('latest');
  });

  it('becomes its date in the one text of the request and in the names of files', async () => {
    const scan = await service.get(LATEST_TICKS.replace('/data/', '/data-scan/'));
    expect(scan.json().canonical_request).toContain(`/${LAST}/`);
    const { headers } = await service.get(`${LATEST_TICKS}?response_format=parquet`);
    expect(headers['content-disposition']).toContain(LAST);
  });

  it('is the last published trade date in the files of a manifest', async () => {
    const bulk = TICK_PATH.replace(/\/data\/(.*?)\/\d.*/, '/bulk/$1');
    const manifest = (await service.get(`${bulk}?TradeDate=latest`)).json();
    expect(manifest.row_count).toBeGreaterThan(0);
    expect(manifest.canonical_request).toContain(`TradeDate.eq=${LAST}`);
    expect(await bodyOf(new URL(manifest.files[0].url).pathname)).not.toBe('');
  });

  it('is the last date of ticks of an option chain, and of its next page', async () => {
    const { columns } = service.dataset('opt_tanq');
    const rows = ['C', 'P'].map(
      (side): Readonly<Record<string, CellValue>> => ({
        ...{
          TradeDate: LAST,
          Ticker: 'AAA',
          CallPut: side,
          Strike: 95,
          ExpirationDate: '2025-06-20',
        },
        EventDateTime: BigInt(Date.parse(`${LAST}T14:00:00Z`)) * 1_000_000n,
      }),
    );
    const cells = rows.map((row) => columns.map(({ name }) => row[name] ?? null));
    await service.publish('opt_tanq', cells);
    const chain = '/v1/symbology/option-chain?underlying=AAA&limit=1';
    const answer = await service.get(`${chain}&date=latest`);
    expect(answer.body).toBe(await bodyOf(`${chain}&date=${LAST}`));
    expect([answer.json().contract_count, answer.headers.link]).toEqual([
      2,
      expect.stringContaining(`date=${LAST}&`),
    ]);
  });

  it('is a value like any other in columns that are not the date of the dataset', async () => {
    const { data } = (await service.get(`${DAILY_PATH}?Ticker=latest`)).json();
    expect(data).toEqual([]);
  });

  it('is never later than the account may read', async () => {
    const { accountId, key } = await service.addAccount('past');
    const { datasetId } = service.dataset('eq_daily_ohlc');
    const rule = { startDate: '2025-01-01', endDate: BEFORE, universe: [] };
    await writing(service.services.store).rules.add({ accountId, datasetId, ...rule });
    const answer = await service.get(`${DAILY_PATH}?TradeDate=latest`, { 'x-api-key': key });
    const dates = answer.json().data.map(({ TradeDate }: { TradeDate: string }) => TradeDate);
    expect(dates).toEqual([BEFORE, BEFORE]);
  });
});
