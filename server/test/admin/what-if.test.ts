/** Changes of rules that are tried: the rows counted are those that the account then reads. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Operation, valuesOf } from '../../src/admin/operation.ts';
import type { CellValue } from '../../src/engine/columns.ts';
import { COUNTED_ROWS_MAX } from '../../src/query/row-counts.ts';
import { RULE_CHANGES, whatIf } from '../../src/query/what-if.ts';
import { AccessRuleReader } from '../../src/store/access-rules.ts';
import { type AdminService, dumpOf, openAdminService } from './admin-service.ts';

const DAILY = 'US1020';
const PATH = '/v1/data/us-equity/eq-daily-ohlc?period=200Y&limit=10000';
const DATES = ['2024-12-30', '2024-12-31', '2025-01-02', '2025-01-03'];
const TICKERS: Readonly<Record<string, bigint>> = {
  AAA: 1010000000000001n,
  BBB: 1010000000000002n,
  CCC: 1010000000000003n,
};

function rowOf(date: string, ticker: string): CellValue[] {
  return [date, ticker, TICKERS[ticker] ?? null, 1, 2, 1, 2, 10, 0, 10, 0, 1, 1];
}

let service: AdminService;
beforeAll(async () => {
  service = await openAdminService();
  // Nobody traded CCC on the last day.
  const rows = DATES.flatMap((date) => Object.keys(TICKERS).map((ticker) => rowOf(date, ticker)));
  await service.publish('eq_daily_ohlc', rows.slice(0, -1));
});
afterAll(() => service.close());

interface Row {
  readonly TradeDate: string;
  readonly Ticker: string;
}

async function readableRows(key: string): Promise<Row[]> {
  const answer = await service.get(PATH, { 'x-api-key': key });
  return answer.statusCode === 403 ? [] : answer.json().data;
}

/** The rows of one reading that another lacks, as an effect tells them. */
function beyond(rows: readonly Row[], others: readonly Row[]) {
  const nameOf = ({ TradeDate, Ticker }: Row) => `${TradeDate} ${Ticker}`;
  const known = new Set(others.map(nameOf));
  const more = rows.filter((row) => !known.has(nameOf(row)));
  const dates = more.map(({ TradeDate }) => TradeDate).sort();
  const identifiers = [...new Set(more.map(({ Ticker }) => Ticker))].sort();
  return {
    row_count: more.length,
    first_trade_date: dates[0] ?? null,
    last_trade_date: dates.at(-1) ?? null,
    identifier_count: identifiers.length,
    identifiers,
  };
}

interface Effect {
  readonly identity_id: number;
  readonly effect: string;
  readonly columns: readonly string[];
}

async function tryOut(operation: string, input: object): Promise<readonly Effect[]> {
  const { home } = service.services.config;
  const before = dumpOf(home);
  const body = { operation, input };
  const { data } = await service.done<{ data: Effect[] }>('/data-access-rules/what-if', body);
  expect(dumpOf(home)).toBe(before);
  return data;
}

const addRule = (accountId: number, terms: object) =>
  service.done<{ rule_id: number }>(`/identities/${accountId}/data-access-rules`, {
    dataset_id: DAILY,
    ...terms,
  });

/** The context of a trial. */
function tryingContext(signal = new AbortController().signal) {
  const { services } = service;
  const nowMs = services.clock.now();
  return { ...services, nowMs, actor: 'test', source: 'test', signal };
}

describe('a change of rules that is tried', () => {
  it.each<[string, object[], object]>([
    ['a first rule', [], { start_date: '2025-01-01' }],
    ['one for some identifiers', [], { universe_identifiers: ['AAA', '1010000000000003'] }],
    ['a window beside another', [{ end_date: '2024-12-30' }], { start_date: '2024-12-31' }],
    ['a window without rows', [], { start_date: '2025-02-01', end_date: '2025-02-28' }],
    ['a window to come', [], { start_date: '2030-01-01' }],
  ])('that adds %s tells the rows that are then read', async (_, held, terms) => {
    const { accountId, key } = await service.addAccount(JSON.stringify([held, terms]));
    for (const each of held) await addRule(accountId, each);
    const input = { identity_id: accountId, dataset_id: DAILY, ...terms };
    const effects = await tryOut('addDataAccessRule', input);
    const before = await readableRows(key);
    await addRule(accountId, terms);
    const gained = beyond(await readableRows(key), before);
    expect(effects.map(({ effect }) => effect)).not.toContain('loses');
    if (effects.length > 0 || gained.row_count > 0) expect(effects).toMatchObject([gained]);
  });

  it('tells of an updated rule what is gained and what is lost, by whom', async () => {
    const { accountId, key } = await service.addAccount('updated');
    const terms = { universe_identifiers: ['AAA'], end_date: '2024-12-31' };
    const { rule_id } = await addRule(accountId, terms);
    const change = { universe_identifiers: ['BBB', 'AAA'], start_date: '2024-12-31' };
    const effects = await tryOut('updateDataAccessRule', { rule_id, ...change });
    const before = await readableRows(key);
    await service.done(`/data-access-rules/${rule_id}/update`, change);
    const after = await readableRows(key);
    const [{ key_id }] = await service.done<[{ key_id: number }]>(
      `/identities/${accountId}/api-keys`,
    );
    const whose = { identity_id: accountId, identity_name: 'updated', key_ids: [key_id] };
    expect(effects).toEqual([
      { ...whose, dataset_id: DAILY, effect: 'gains', ...beyond(after, before), columns: [] },
      { ...whose, dataset_id: DAILY, effect: 'loses', ...beyond(before, after), columns: [] },
    ]);
    expect(beyond(after, before).row_count).toBe(1);
  });

  it('tells what a removed rule takes away beside another one', async () => {
    const { accountId, key } = await service.addAccount('removed');
    await addRule(accountId, { end_date: '2024-12-31' });
    const { rule_id } = await addRule(accountId, { start_date: '2025-01-01' });
    const effects = await tryOut('removeDataAccessRule', { rule_id });
    const before = await readableRows(key);
    await service.done(`/data-access-rules/${rule_id}/delete`, {});
    expect(effects).toMatchObject([
      { effect: 'loses', ...beyond(before, await readableRows(key)), columns: [] },
    ]);
  });

  it('tells of a plan the accounts whose own rules do not let the rows through', async () => {
    const { plan_id } = await service.done<{ plan_id: number }>('/plans', { name: 'tried' });
    const given = async (name: string) => {
      const made = await service.addAccount(name);
      await service.done(`/identities/${made.accountId}/update`, { plan_id });
      return made;
    };
    const [other, whole, some] = [await given('none'), await given('whole'), await given('some')];
    await addRule(whole.accountId, {});
    await addRule(some.accountId, { universe_identifiers: ['AAA'] });
    const input = { plan_id, dataset_ids: [DAILY] };
    using reads = vi.spyOn(AccessRuleReader.prototype, 'listOf');
    const effects = await tryOut('addPlanRules', input);
    expect(reads).not.toHaveBeenCalled();
    expect(effects.map((each) => [each.identity_id, each.effect])).toEqual([
      [other.accountId, 'gains'],
      [some.accountId, 'gains'],
    ]);
    expect(effects).toMatchObject([
      { row_count: 11, identifiers: ['AAA', 'BBB', 'CCC'] },
      { row_count: 7, identifiers: ['BBB', 'CCC'], columns: [] },
    ]);
  });

  it('tells of too many rows whether there are any to gain or lose', async () => {
    const { accountId } = await service.addAccount('too many');
    const { rule_id } = await addRule(accountId, { end_date: '2024-12-31' });
    const context = tryingContext();
    const { lake } = context;
    const snapshot = await lake.snapshot(DAILY);
    if (!snapshot) throw new Error('nothing is published');
    const rowGroups: typeof snapshot.rowGroups = async (parts) =>
      (await snapshot.rowGroups(parts)).map((groups) =>
        groups.map((group) => ({ ...group, rowCount: COUNTED_ROWS_MAX + 1 })),
      );
    using _large = vi.spyOn(lake, 'snapshot').mockResolvedValue({ ...snapshot, rowGroups });
    const effectsOf = async (name: string, input: Readonly<Record<string, unknown>>) => {
      const operation = RULE_CHANGES.find((each) => each.name === name) as Operation;
      const { data } = await whatIf(context, operation, valuesOf(operation, context, input));
      return data.map(({ effect, row_count }) => [effect, row_count]);
    };
    const added = { identity_id: accountId, dataset_id: DAILY, start_date: '2025-01-01' };
    expect(await effectsOf('addDataAccessRule', added)).toEqual([['gains', null]]);
    expect(await effectsOf('removeDataAccessRule', { rule_id })).toEqual([['loses', null]]);
  });

  it('ends with its request, also where there are no rows to count', async () => {
    const { accountId } = await service.addAccount('gone');
    const terms = { end_date: '2024-12-31' };
    const { rule_id } = await addRule(accountId, terms);
    const operation = RULE_CHANGES.find(({ name }) => name === 'updateDataAccessRule') as Operation;
    const context = tryingContext(AbortSignal.abort(new Error('gone')));
    const values = valuesOf(operation, context, { rule_id, ...terms });
    await expect(whatIf(context, operation, values)).rejects.toThrow('gone');
  });

  it('tells the columns of a rule, which hide no rows', async () => {
    const { accountId } = await service.addAccount('columns');
    const { rule_id } = await addRule(accountId, {});
    const columns = ['TradeDate', 'Ticker', 'ASID', 'OpenPrice'];
    const [effect, ...others] = await tryOut('updateDataAccessRule', { rule_id, columns });
    expect(effect).toMatchObject({ effect: 'loses', row_count: 0 });
    expect(effect?.columns).toHaveLength(9);
    expect(others).toEqual([]);
  });

  it('tells of rows without dates, which name their tickers in a list', async () => {
    const master = service.dataset('eq_sec_master');
    const listed = master.columns.map(({ name, dataType }) => {
      if (name === 'ASID') return TICKERS.AAA as bigint;
      if (dataType.startsWith('array')) return [];
      return dataType === 'integer' ? 1n : null;
    });
    await service.publish(master.textId, [listed]);
    const { accountId } = await service.addAccount('master');
    const input = { identity_id: accountId, dataset_id: master.datasetId };
    expect(await tryOut('addDataAccessRule', input)).toMatchObject([
      { row_count: 1, first_trade_date: null, identifiers: [`${TICKERS.AAA}`] },
    ]);
  });

  it('is refused as the change itself is', async () => {
    const { accountId } = await service.addAccount('refused');
    await addRule(accountId, {});
    const ask = (operation: string, input: object) =>
      service.ask('/data-access-rules/what-if', { operation, input });
    const overlapping = await ask('addDataAccessRule', {
      identity_id: accountId,
      dataset_id: DAILY,
    });
    expect(overlapping.statusCode).toBe(422);
    expect(overlapping.json().detail).toMatchObject([
      { type: 'overlapping_rule', loc: ['body', 'input', 'dataset_id'] },
    ]);
    expect((await ask('removeDataAccessRule', { rule_id: 987_654 })).statusCode).toBe(404);
    expect((await ask('createIdentity', {})).statusCode).toBe(422);
    const unknown = await ask('removeDataAccessRule', { rule_id: 1, name: 'x' });
    expect(unknown.json().detail).toMatchObject([{ type: 'unknown_field' }]);
    const foreign = await service.app.inject({
      method: 'POST',
      url: '/v1/data-access-rules/what-if',
      headers: { 'x-api-key': service.key },
      payload: {},
    });
    expect(foreign.statusCode).toBe(403);
  });
});
