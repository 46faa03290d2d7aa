/** Which rules decide about a request, as its own key is told. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RuleTerms } from '../../src/store/access-rules.ts';
import { eventRows } from '../adjustments/random-market.ts';
import type { TestService } from '../harness.ts';
import { writing } from '../writing.ts';
import { DAILY_PATH, openContractService, TICK_PATH } from './fixture.ts';

let service: TestService;
beforeAll(async () => {
  service = await openContractService();
});
afterAll(() => service.close());

type Terms = Partial<RuleTerms>;

async function keyWith(...rules: readonly (Terms & { of?: string })[]) {
  const { accountId, key } = await service.addAccount(randomUUID());
  for (const { of = 'eq_daily_ohlc', ...terms } of rules) {
    const { datasetId } = service.dataset(of);
    const open = { startDate: '2020-01-01', endDate: null, universe: [] };
    await writing(service.services.store).rules.add({ accountId, datasetId, ...open, ...terms });
  }
  return { 'x-api-key': key };
}

interface Decision {
  readonly part: string;
  readonly outcome: string;
  readonly rules: readonly number[];
  readonly reason: string;
  readonly remedy: string | null;
}

/** The explanation, whose status is that of the request itself. */
async function explained(query: string, headers: Record<string, string>, path = DAILY_PATH) {
  const answer = await service.get(`${path}/explain?${query}`, headers);
  expect(answer.statusCode, answer.body).toBe(200);
  const explanation = answer.json();
  const rows = await service.get(`${path}?${query}`, headers);
  expect(explanation.status).toBe(rows.statusCode);
  const decisions: Decision[] = explanation.decisions;
  return { ...explanation, of: (part: string) => decisions.find((each) => each.part === part) };
}

it('names the rules that hold the dates, the identifiers and the columns of a request', async () => {
  const headers = await keyWith(
    { endDate: '2025-06-17' },
    { startDate: '2025-06-18', universe: ['BBB'] },
  );
  const { of, rules, canonical_request: text } = await explained('', headers);
  expect(rules).toMatchObject([
    { start_date: '2020-01-01', end_date: '2025-06-17', universe_identifiers: [] },
    { start_date: '2025-06-18', end_date: null, universe_identifiers: ['BBB'], is_of_plan: false },
  ]);
  expect(text).toContain('/data/us-equity/eq-daily-ohlc?');
  expect(of('columns')).toMatchObject({ outcome: 'allowed', rules: [0, 1], remedy: null });
  expect(of('identifiers')).toMatchObject({ outcome: 'narrowed', rules: [1] });
  expect(of('dates')).toMatchObject({ outcome: 'narrowed', rules: [0, 1] });
  expect(of('rows')).toMatchObject({ outcome: 'allowed', rules: [0, 1] });
  const early = await explained('TradeDate=2025-06-17', headers);
  expect(early.of('identifiers')).toMatchObject({ outcome: 'allowed', rules: [0] });
  expect(early.of('dates')).toMatchObject({ outcome: 'allowed', rules: [0] });
});

it.each<[string, Terms[], string, string, string]>([
  ['', [], 'dataset', 'not authorized', 'The account may read no dataset'],
  ['Ticker=AAA', [{ universe: ['BBB'] }], 'identifiers', 'AAA', 'The account may read BBB'],
  ['TradeDate=2019-12-31', [{}], 'dates', "'2019-12-31'", 'from 2020-01-01 to'],
  ['columns=Nothing', [{}], 'columns', 'Nothing', 'Leave the columns out'],
  ['TradeDate=soon', [{}], 'request', "'soon'", 'Change the request'],
])('says what a refused request has to change: %s', async (query, terms, part, reason, remedy) => {
  const { decisions, canonical_request: text } = await explained(query, await keyWith(...terms));
  expect(decisions).toEqual([
    expect.objectContaining({ part, outcome: 'refused', reason: expect.stringContaining(reason) }),
  ]);
  expect(decisions[0].remedy).toContain(remedy);
  expect(text).toBeNull();
});

it('says as much of a column that rules hide as of one that does not exist', async () => {
  const headers = await keyWith({ columns: ['TradeDate', 'Ticker', 'OpenPrice'] });
  const [hidden, unknown] = await Promise.all(
    ['ClosePrice', 'Nothing'].map((name) => explained(`columns=${name}`, headers)),
  );
  const textOf = ({ decisions }: { decisions: object }, name: string) =>
    JSON.stringify(decisions).replaceAll(name, 'NAME');
  expect(textOf(hidden!, 'ClosePrice')).toBe(textOf(unknown!, 'Nothing'));
  const shown = await explained('columns=OpenPrice', headers);
  expect(shown.of('columns')).toMatchObject({ outcome: 'allowed', rules: [0] });
  expect(shown.of('columns').remedy).toContain('more columns');
});

it('leaves out the rules that lack a column of the request', async () => {
  const columns = ['TradeDate', 'Ticker', 'OpenPrice'];
  const headers = await keyWith({ columns, endDate: '2025-06-17' }, { startDate: '2025-06-18' });
  const { of } = await explained('columns=ClosePrice', headers);
  expect(of('columns')).toMatchObject({ outcome: 'narrowed', rules: [1] });
});

it('tells of every dataset that rows adjusted on request are made of', async () => {
  const factors = service.dataset('eq_adj_factors_basic');
  const event = { asid: 7n, ticker: 'ABCD', date: '2024-03-08', factor: '0.5', reason: 'Subdiv' };
  await service.publish(factors.textId, eventRows(factors, [event]));
  const columns = ['TradeDate', 'Ticker', 'OpenPrice'];
  const headers = await keyWith(...[{ of: 'eq_daily_ohlc_adj' }, { columns }], {
    of: factors.textId,
    startDate: '1900-01-01',
  });
  const query = 'adjusted=true&adjusted_as_of=2025-06-18';
  const { of, rules } = await explained(query, headers);
  const ids = ['eq_daily_ohlc_adj', 'eq_daily_ohlc'].map((name) => service.dataset(name).datasetId);
  expect(rules.map((rule: { dataset_id: string }) => rule.dataset_id)).toEqual([
    ...ids,
    factors.datasetId,
  ]);
  expect(of('columns')).toMatchObject({ outcome: 'allowed', rules: [0, 1] });
  expect(of('columns').remedy).toContain('more columns');
  const named = await explained(`${query}&columns=OpenPrice,PriceAdjFactor`, headers);
  expect(named.of('columns')).toMatchObject({ outcome: 'allowed', rules: [0, 1] });
  const hidden = await explained(`${query}&columns=HighPrice`, headers);
  expect(hidden.of('columns')).toMatchObject({ outcome: 'refused', rules: [1] });
});

it('names the rules alone by which a request is refused', async () => {
  const rules = [{ endDate: '2025-06-17' }, { startDate: '2025-06-18' }];
  const headers = await keyWith(...rules.map((rule) => ({ ...rule, universe: ['BBB'] })));
  const ofTicker = await explained('Ticker=AAA', headers);
  expect(ofTicker.decisions).toMatchObject([{ part: 'identifiers', rules: [0, 1] }]);
  const wrong = await explained('TradeDate=soon', headers);
  expect(wrong.decisions).toMatchObject([{ part: 'request', rules: [] }]);
});

it('is refused as the rows are where it is no request, and scans nothing', async () => {
  const { accountId, key } = await service.addAccount(randomUUID());
  const headers = { 'x-api-key': key };
  const wrong = await service.get(`${DAILY_PATH}/explain?limit=0`, headers);
  expect(wrong.json()).toEqual((await service.get(`${DAILY_PATH}?limit=0`, headers)).json());
  expect((await service.get(`${DAILY_PATH}s/explain`, headers)).statusCode).toBe(404);
  expect((await service.get(`${TICK_PATH}/explain`, headers)).json().status).toBe(403);
  expect((await service.services.usage.counters.read(accountId)).month.scannedBytes).toBe(0);
  expect((await service.app.inject(`${DAILY_PATH}/explain`)).statusCode).toBe(401);
});
