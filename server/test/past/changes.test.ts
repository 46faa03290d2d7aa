/**
 * Rows that changed between two versions. Applied to the earlier version they give the later one,
 * in every format, page by page, within the caller's rules.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestService, type TestService } from '../harness.ts';
import { claimsOn } from '../receipts/answer-receipt.ts';
import { repetitions } from '../repetitions.ts';
import { expectCameAcross } from '../seed.ts';
import { writing } from '../writing.ts';
import {
  fetchOk,
  type Reached,
  readWalk,
  rowsOf,
  WALK_FORMATS,
  type WalkFormat,
} from './read-walk.ts';
import { anyRepublication, republish } from './republished-dataset.ts';

const ROWS = 40;
const VERSIONS = 8;
const RUNS = repetitions('TICKLAKE_CHANGES_RUNS', 5);

/** Requests for all rows of a dataset, and filters that both may have. */
const PATHS: Readonly<Record<string, string>> = {
  eq_daily_ohlc: '/v1/data/us-equity/eq-daily-ohlc?period=200Y&TradeDate.ge=1990-01-01',
  eq_adj_factors_basic: '/v1/data/us-equity-ref/eq-adj-factors-basic?',
  eq_secid_chains_lookup: '/v1/data/us-equity-ref/eq-secid-chains-lookup?',
};
const FILTERS = ['', '&Ticker=AAA', '&Ticker.in=AAA,ZZ&ASID.gt=1'];

let service: TestService;
let all: Reached;
let limited: Reached;

beforeAll(async () => {
  service = await openTestService();
  const origin = await service.app.listen({ host: '127.0.0.1', port: 0 });
  all = { origin, key: service.key };
  const { accountId, key } = await service.addAccount('limited');
  limited = { origin, key };
  const modes = fc.sample(anyRepublication, VERSIONS);
  for (const textId of Object.keys(PATHS)) {
    const dataset = service.dataset(textId);
    const rule = { accountId, datasetId: dataset.datasetId, universe: ['AAA', 'AAB'] };
    await writing(service.services.store).rules.add({
      ...{ ...rule, startDate: '2024-11-04', endDate: null },
    });
    for (const mode of modes) await republish(service, dataset, mode, ROWS);
  }
});
afterAll(() => service.close());

const changesPath = (textId: string, from: number, to: number) =>
  `/v1/meta/datasets/${service.dataset(textId).datasetId}/changes?from=${from}&to=${to}`;

/** A changed row without its first column, and how it changed. */
function splitChange(row: string, format: WalkFormat): [change: string, row: string] {
  const isObject = ['json', 'arrow', 'parquet'].includes(format);
  const pattern = isObject ? /^\{"Change":"(\w+)",?/ : /^(\w+),/;
  const [start = '', change = ''] = pattern.exec(row) ?? [];
  return [change, `${isObject ? '{' : ''}${row.slice(start.length)}`];
}

/** The rows of a version with changes made to them; throws where a removed row is not there. */
function applied(rows: readonly string[], changes: readonly string[], format: WalkFormat) {
  const left = [...rows];
  for (const [change, row] of changes.map((each) => splitChange(each, format))) {
    const at = left.indexOf(row);
    if (change === 'added') left.push(row);
    else if (change !== 'removed' || at === -1) throw new Error(`${change} ${row} cannot be`);
    else left.splice(at, 1);
  }
  return left.toSorted();
}

const anyVersion = fc.integer({ min: 1, max: VERSIONS });
const anyComparison = fc.record({
  textId: fc.constantFrom(...Object.keys(PATHS)),
  from: anyVersion,
  to: anyVersion,
  format: fc.constantFrom(...WALK_FORMATS),
  limit: fc.integer({ min: 5, max: 60 }),
  filter: fc.constantFrom(...FILTERS),
});

describe.each([
  ['may read everything', () => all],
  ['is limited to some dates and identifiers', () => limited],
])('the changes for an account that %s', (_, reachedOf) => {
  it('make the later version of the earlier one', async () => {
    let changeCount = 0;
    await fc.assert(
      fc.asyncProperty(anyComparison, async ({ textId, from, to, format, limit, filter }) => {
        const reached = reachedOf();
        // The limited account may not name days before its window.
        const path = (PATHS[textId] as string).replace('1990-01-01', '2024-11-04');
        const shape = `${filter}&response_format=${format}`;
        const rowsAt = async (version: number) =>
          (await readWalk(reached, `${path}${shape}&dataset_version=${version}`, format)).rows;
        const daily = textId === 'eq_daily_ohlc' ? '&TradeDate.ge=2024-11-04' : '';
        const asked = `${changesPath(textId, from, to)}${shape}${daily}&limit=${limit}`;
        const changes = await readWalk(reached, asked, format);
        expect(changes.version).toBe(`${to}`);
        expect(applied(await rowsAt(from), changes.rows, format)).toEqual(
          (await rowsAt(to)).toSorted(),
        );
        changeCount += changes.rows.length;
      }),
      { numRuns: RUNS },
    );
    expectCameAcross({ changes: changeCount });
  });

  it('have receipts, whose requests get the same bytes again', async () => {
    const { key } = reachedOf();
    const ask = (url: string) => service.app.inject({ url, headers: { 'x-api-key': key } });
    let rowCount = 0;
    await fc.assert(
      fc.asyncProperty(anyComparison, async ({ textId, from, to, format, limit, filter }) => {
        const shape = `${filter}&sort=-Ticker&offset=1&response_format=${format}`;
        const answer = await ask(
          `${changesPath(textId, from, to)}${shape}&limit=${limit}&receipt=true`,
        );
        const claims = await claimsOn(service, answer);
        expect(claims).toMatchObject({ dataset_version: to, offset: 1, limit });
        expect(claims.request).toContain(`/changes?`);
        const again = await ask(`/v1${claims.request}&receipt=true`);
        const { iat: _, jti: __, window: ___, ...asked } = claims;
        expect(await claimsOn(service, again)).toMatchObject(asked);
        rowCount += claims.rows;
      }),
      { numRuns: RUNS },
    );
    expectCameAcross({ rows: rowCount });
  });
});

describe('the changes', () => {
  it('have one text for all ways to ask for them in their receipts', async () => {
    const { datasetId } = service.dataset('eq_daily_ohlc');
    const path = `/v1/meta/datasets/${datasetId}/changes`;
    const ways = [
      `from=1&to=${VERSIONS}&Ticker.in=ZZ,AAA&limit=2`,
      `limit=2&Ticker.in=AAA,ZZ,AAA&from=1&offset=0`,
    ];
    for (const way of ways) {
      const answer = await service.get(`${path}?${way.replace('limit', 'receipt=true&limit')}`);
      expect((await claimsOn(service, answer)).request).toBe(
        `/meta/datasets/${datasetId}/changes?Ticker.in=AAA,ZZ&from=1&to=${VERSIONS}&offset=0&limit=2&response_format=json`,
      );
    }
  });

  it('come in natural order, the removed rows of a key before the added ones', async () => {
    const { rows } = await readWalk(all, `${changesPath('eq_daily_ohlc', 1, 2)}&limit=5`, 'json');
    const keys = rows.map((row) => {
      const { TradeDate, Ticker, Change } = JSON.parse(row);
      return `${TradeDate} ${Ticker} ${Change === 'removed' ? 0 : 1}`;
    });
    expect(keys.length).toBeGreaterThan(5);
    expect(keys).toEqual(keys.toSorted());
  });

  it('have the change as their first column, whatever columns are asked for', async () => {
    const path = `${changesPath('eq_daily_ohlc', 1, 2)}&columns=Ticker&limit=1`;
    const json = await (await fetchOk(all, path)).json();
    expect(Object.keys((json as { data: object[] }).data[0] ?? {})).toEqual(['Change', 'Ticker']);
    const csv = await (await fetchOk(all, `${path}&response_format=csv`)).text();
    expect(csv.split('\n')[0]).toBe('"Change","Ticker"');
  });

  it('between a version and itself are none', async () => {
    const answer = await fetchOk(all, changesPath('eq_daily_ohlc', 3, 3));
    expect(answer.headers.get('x-dataset-version')).toBe('3');
    expect(await rowsOf(answer, 'json', true)).toEqual([]);
  });

  it('lead to the current version where no other one is named, on every page', async () => {
    const path = changesPath('eq_daily_ohlc', 1, 0).replace('&to=0', '&limit=1');
    const first = await fetchOk(all, path);
    expect(first.headers.get('x-dataset-version')).toBe(`${VERSIONS}`);
    expect(first.headers.get('link')).toContain(`&to=${VERSIONS}&`);
  });

  it('are counted as what reading both states of the changed partitions scans', async () => {
    const { usage } = service.services;
    const before = await usage.counters.read(service.accountId);
    const scanned = before.minute.scannedBytes;
    await fetchOk(all, changesPath('eq_daily_ohlc', 1, 2));
    const after = await usage.counters.read(service.accountId);
    expect(after.minute.scannedBytes).toBeGreaterThan(scanned);
    await fetchOk(all, changesPath('eq_daily_ohlc', 4, 4));
    expect((await usage.counters.read(service.accountId)).minute.scannedBytes).toBe(
      after.minute.scannedBytes,
    );
  });

  it.each([
    ['', 422, "The parameter 'from' should be the version that is compared with"],
    ['?from=1&to=2&to=3', 422, "The parameter 'to' should be given only once"],
    ['?from=0', 422, 'Input should be greater than or equal to 1'],
    ['?from=1&to=x', 422, 'Input should be a valid integer'],
    ['?from=1&period=5Y', 422, 'period does not apply to changes'],
    ['?from=1&dataset_version=2', 422, 'dataset_version does not apply to changes'],
    ['?from=1&Nope=1', 422, 'The following columns do not exist in the dataset: Nope'],
    ['?from=999', 404, 'Dataset version 999 has never been published'],
    ['?from=1&to=999', 404, 'Dataset version 999 has never been published'],
  ])('with the query %j are a %i', async (query, status, text) => {
    const { datasetId } = service.dataset('eq_daily_ohlc');
    const answer = await service.get(`/v1/meta/datasets/${datasetId}/changes${query}`);
    expect(answer.statusCode).toBe(status);
    expect(answer.body).toContain(text);
  });

  it('are for those alone who may read the dataset', async () => {
    const datasetId = service.dataset('eq_ipo').datasetId;
    const path = `/v1/meta/datasets/${datasetId}/changes?from=1`;
    const { statusCode, body } = await service.app.inject({
      url: path,
      headers: { 'x-api-key': limited.key },
    });
    expect([statusCode, JSON.parse(body).detail]).toEqual([
      403,
      `This identity does not have access to dataset ${datasetId}`,
    ]);
    const { datasetId: daily } = service.dataset('eq_daily_ohlc');
    const outside = await service.app.inject({
      url: `/v1/meta/datasets/${daily}/changes?from=1&to=2&Ticker=ZZ`,
      headers: { 'x-api-key': limited.key },
    });
    expect(outside.statusCode).toBe(403);
  });
});
