/** `latest` in place of a trade date: the last one that the account may read. */
import { randomUUID } from 'node:crypto';
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

type Rule = readonly [startDate: string, endDate: string, ...universe: string[]];

async function keyWith(textId: string, ...rules: readonly Rule[]): Promise<string> {
  const { accountId, key } = await service.addAccount(randomUUID());
  const { datasetId } = service.dataset(textId);
  for (const [startDate, endDate, ...universe] of rules) {
    const rule = { accountId, datasetId, startDate, endDate, universe };
    await writing(service.services.store).rules.add(rule);
  }
  return key;
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

  it.each([
    [`TradeDate.in=${BEFORE}%2clatest`, `TradeDate.in=${BEFORE},${LAST}&`],
    [`TradeDate.in=%22latest%22,${BEFORE}`, `TradeDate.in=${LAST},${BEFORE}&`],
    ['TradeDate.le=l%61test', `TradeDate.le=${LAST}&`],
    ['%54radeDate=latest', `%54radeDate=${LAST}&`],
  ])('becomes its date in that link however it is written: %s', async (asked, dated) => {
    const { headers } = await service.get(`${DAILY_PATH}?${asked}&limit=1`);
    expect(headers.link).toContain(`?${dated}`);
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
    const key = await keyWith('eq_daily_ohlc', ['2025-01-01', BEFORE]);
    const answer = await service.get(`${DAILY_PATH}?TradeDate=latest`, { 'x-api-key': key });
    const dates = answer.json().data.map(({ TradeDate }: { TradeDate: string }) => TradeDate);
    expect(dates).toEqual([BEFORE, BEFORE]);
  });

  describe('under rules that end on days without data', () => {
    const FRIDAY = '2025-06-13';
    const SATURDAY = '2025-06-14';
    const OLD = '2024-12-20';
    const BY_DAY = 'eq_otc_taq';
    const BY_YEAR = 'eq_taq_daily';

    beforeAll(async () => {
      for (const textId of [BY_DAY, BY_YEAR]) {
        const cells = [OLD, '2025-06-12', FRIDAY, LAST].map((date) => {
          const time = BigInt(Date.parse(`${date}T14:00:00Z`)) * 1_000_000n;
          const row: Readonly<Record<string, CellValue>> = {
            ...{ TradeDate: date, Ticker: 'AAA', EventDateTime: time },
          };
          return service.dataset(textId).columns.map(({ name }) => row[name] ?? null);
        });
        await service.publish(textId, cells);
      }
    });

    it.each<[textId: string, rules: readonly Rule[], date: string]>([
      [BY_DAY, [['2025-01-01', SATURDAY]], FRIDAY],
      [
        BY_DAY,
        [
          ['2025-06-12', '2025-06-12'],
          ['2025-06-16', '2025-06-17'],
        ],
        '2025-06-12',
      ],
      [BY_YEAR, [['2025-01-01', SATURDAY]], FRIDAY],
      [
        BY_YEAR,
        [
          ['2025-01-01', FRIDAY],
          [SATURDAY, '2025-06-15'],
        ],
        FRIDAY,
      ],
      [BY_YEAR, [['2024-01-01', '2024-12-31']], OLD],
      // The last row of the year may be of others.
      [BY_YEAR, [['2024-01-01', '2024-12-31', 'AAA']], '2024-12-31'],
    ])(
      'is one that has rows, as far as the account may know: %s %j',
      async (textId, rules, date) => {
        const { group, segment, pathShape } = service.dataset(textId);
        const asked = pathShape === 'tick' ? '/latest/AAA' : '?TradeDate=latest';
        const key = await keyWith(textId, ...rules);
        const url = `/v1/data-scan/${group}/${segment}${asked}`;
        const scan = (await service.get(url, { 'x-api-key': key })).json();
        expect(/\d{4}-\d\d-\d\d/.exec(scan.canonical_request)?.[0]).toBe(date);
      },
    );
  });

  it('becomes its date in the link to the next page of changes', async () => {
    const { datasetId, columns } = service.dataset('eq_daily_ohlc');
    const changed = ['AAA', 'BBB'].map((ticker) =>
      columns.map(
        ({ name }) =>
          (({ TradeDate: LAST, Ticker: ticker }) as Record<string, string>)[name] ?? null,
      ),
    );
    await service.publish('eq_daily_ohlc', changed);
    const changes = `/v1/meta/datasets/${datasetId}/changes?from=1&TradeDate=latest&limit=1`;
    expect((await service.get(changes)).headers.link).toContain(`&TradeDate=${LAST}&`);
  });
});
