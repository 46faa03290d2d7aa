import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMPUTATIONS } from '../../src/derive/computations.ts';
import { openTestService, type TestService } from '../harness.ts';
import { computedTables } from './computed-tables.ts';

let service: TestService;
beforeAll(async () => {
  service = await openTestService({ vendorAggregationLogic: 'vendor_x' });
  await service.app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => service.close());

async function ask(datasetId: string, headers: Record<string, string>): Promise<Response> {
  const { port } = service.app.server.address() as { port: number };
  return await fetch(`http://127.0.0.1:${port}/v1/meta/datasets/${datasetId}/rules`, { headers });
}

async function rulesOf(textId: string) {
  const { datasetId } = service.dataset(textId);
  const answer = await ask(datasetId, { 'x-api-key': service.key });
  expect(answer.status).toBe(200);
  // biome-ignore lint/suspicious/noExplicitAny: the schema of answers holds it to its fields
  return (await answer.json()) as any;
}

describe('meta/datasets/{id}/rules', () => {
  it('names computation, version and inputs of bars, and the logic as requests do', async () => {
    expect((await rulesOf('eq_taq_1min')).derived_from).toEqual({
      computation: 'equity_quote_bars',
      meaning: 'minute bars of equity quotes and trades',
      rule_version: COMPUTATIONS.equity_quote_bars.ruleVersion,
      aggregation_logic: 'vendor_x',
      inputs: [
        { role: 'ticks', dataset_id: 'US1032', dataset_text_id: 'eq_taq' },
        { role: 'daily prices', dataset_id: 'US1020', dataset_text_id: 'eq_daily_ohlc' },
      ],
      parameters: [],
      otherwise: null,
    });
    const { derived_from: standard } = await rulesOf('eq_taq_1min_ind_std');
    expect(standard.aggregation_logic).toBe('industry_std');
  });

  it('states the numbers that the computation was given', async () => {
    const { derived_from: greeks } = await rulesOf('opt_greeks_daily');
    expect(greeks.parameters).toEqual([{ name: 'interest_rate', value: 0.04 }]);
  });

  it('names the computation of dates without the preferred input', async () => {
    const { derived_from: daily } = await rulesOf('fut_daily');
    expect(daily.computation).toBe('futures_daily_values');
    expect(daily.otherwise).toEqual({
      computation: 'bars_by_date',
      meaning: 'the bars of a date put together to one, by `intervals` of the bars',
      rule_version: COMPUTATIONS.bars_by_date.ruleVersion,
      inputs: [{ role: 'bars', dataset_id: 'US6014', dataset_text_id: 'fut_trades_1min' }],
      parameters: [],
    });
  });

  it('says what longer bars make of each column', async () => {
    const { interval_columns: columns } = await rulesOf('eq_taq_1min');
    expect(columns).toContainEqual({ name: 'HighTradePrice', rule: 'high', by: null });
    const size = { name: 'HighTradeSize', rule: 'beside', by: 'HighTradePrice' };
    expect(columns).toContainEqual(size);
    expect((await rulesOf('eq_taq')).interval_columns).toEqual([]);
  });

  it('says of every dataset what its definition says', async () => {
    for (const { textId, derivation } of service.services.catalog.datasets) {
      const { derived_from: rule } = await rulesOf(textId);
      expect(rule?.computation, textId).toBe(derivation?.computation);
      const inputs = rule?.inputs.map(
        (input: { dataset_text_id: string }) => input.dataset_text_id,
      );
      expect(inputs, textId).toEqual(derivation?.inputs);
    }
  });

  it('gives the conditions that docs/rules has, to ticks and to what comes from them', async () => {
    const documented = computedTables().find(({ header }) => header[1] === 'Trade condition');
    for (const textId of ['eq_trades', 'eq_trades_adj', 'eq_trades_1min_adj', 'eq_taq']) {
      const { trade_conditions: conditions } = await rulesOf(textId);
      expect(
        conditions.map((condition: object) => Object.values(condition).map(String)),
        textId,
      ).toEqual(documented?.rows);
    }
    expect((await rulesOf('eq_trades')).quote_conditions).toEqual([]);
    expect((await rulesOf('eq_taq_daily')).quote_conditions).toHaveLength(23);
    const futures = await rulesOf('fut_trades_1min');
    expect([...futures.trade_conditions, ...futures.quote_conditions]).toEqual([]);
  });

  it('lists the columns that factors restate, of adjusted rows only', async () => {
    const { adjusted_columns: columns } = await rulesOf('eq_trades_adj');
    expect(columns).toEqual([
      { name: 'Price', kind: 'price' },
      { name: 'Quantity', kind: 'shares' },
    ]);
    expect((await rulesOf('eq_trades')).adjusted_columns).toEqual([]);
  });

  it('answers every key, as columns do, and nobody without one', async () => {
    const { key } = await service.addAccount('no rules');
    expect((await ask('US1020', { 'x-api-key': key })).status).toBe(200);
    expect((await ask('US1020', {})).status).toBe(401);
    expect((await ask('US9999', { 'x-api-key': key })).status).toBe(404);
  });
});
