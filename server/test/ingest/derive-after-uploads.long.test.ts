/** Data made stale by uploads over HTTP is derived again by a real process. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestService, type TestService } from '../harness.ts';
import { adminKey } from './admin-key.ts';
import { waitForLoads } from './uploads-here.ts';

const HEADER =
  'TradeDate,EventDateTime,Ticker,ASID,EventType,Price,Quantity,Exchange,ConditionCode';
const ticksOf = (price: number) =>
  [
    HEADER,
    `2025-06-18,2025-06-18T10:00:01,ABCD,7,TRADE,${price},100,NYSE,1`,
    `2025-06-18,2025-06-18T10:00:02,ABCD,7,QUOTE BID NB,9.9,100,NYSE,1`,
    '',
  ].join('\n');

const definitions = mkdtempSync(join(tmpdir(), 'ticklake-definitions-'));
const SHIPPED = join(import.meta.dirname, '../../../datasets/eq_trades.yaml');
let service: TestService;
let key: string;
const failures: string[] = [];

/** Trades that no price below 5 dollars is among. */
function dearTrades(): string {
  return readFileSync(SHIPPED, 'utf8')
    .replace('id: US1001', 'id: US9901')
    .replace('text_id: eq_trades', 'text_id: dear_trades')
    .replace('segment: eq-trades', 'segment: dear-trades')
    .replace('variant: { adjusted: false }\n', '')
    .replace('min: 0', 'min: 5');
}

beforeAll(async () => {
  writeFileSync(join(definitions, 'dear_trades.yaml'), dearTrades());
  service = await openTestService({
    ...{ uploadBytesMax: 1_000_000, deriveAfterLoads: 'on', definitions },
    // Limits the datasets that are derived from ticks to these.
    offeredDatasets: ['eq_taq', 'eq_trades', 'eq_trades_1min', 'dear_trades'],
  });
  waitForLoads(service);
  service.services.uploads.onFailure = (text) => failures.push(text);
  key = await adminKey(service);
});
afterAll(async () => {
  await service.close();
  rmSync(definitions, { recursive: true, force: true });
});

const send = (text: string) =>
  service.app.inject({
    ...{ method: 'POST', url: '/v1/ingest/eq_taq?allow_loss=true', payload: text },
    headers: { 'x-api-key': key },
  });
const barsOf = async () =>
  (await service.get('/v1/data/us-equity/eq-trades-1min?Ticker=ABCD&period=20Y')).json().data ?? [];
const newestOf = async () =>
  (await service.services.lake.ledger.publications({ limit: 1 }))[0]?.state;

test('trades and bars follow an upload of ticks, whose answer has nothing of them', async () => {
  const answer = await send(ticksOf(10));
  expect(answer.json()).toMatchObject({ state: 'published', report: { is_published: true } });
  expect(answer.json().report).not.toHaveProperty('derivation');
  await expect.poll(barsOf).toMatchObject([{ Ticker: 'ABCD', LastTradePrice: 10 }]);
  const [newest] = await service.services.lake.ledger.publications({ limit: 1 });
  expect(newest).toMatchObject({
    ...{ kind: 'derivation', state: 'published' },
    reason: 'after uploads into US1032',
  });
  expect(failures).toEqual([]);
});

test('a derivation that is refused leaves the upload published, and is told to the operator', async () => {
  const answer = await send(ticksOf(2));
  expect(answer.json()).toMatchObject({ state: 'published', report: { is_published: true } });
  await expect.poll(() => failures).toHaveLength(1);
  expect(failures[0]).toMatch(/^uploads: nothing was derived after uploads into US1032: .*Price/);
  expect(await newestOf()).toBe('refused');
  expect(await barsOf()).toMatchObject([{ LastTradePrice: 10 }]);
});
