/** The versions of a dataset and the feed of publications: what they tell, and to whom. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CellValue } from '../../src/engine/columns.ts';
import { openTestService, type TestService } from '../harness.ts';
import { writing } from '../writing.ts';
import { publishRows } from './republished-dataset.ts';

type Row = Readonly<Record<string, CellValue>>;
type Json = Readonly<Record<string, unknown>>;

let service: TestService;
/** Keys of accounts with different rules for the ticks, which are partitioned by day. */
let keys: Readonly<Record<'late' | 'some' | 'none', string>>;
let ticks: string;

async function publish(
  textId: string,
  rows: readonly Row[],
  mode: 'replace' | 'append' = 'replace',
) {
  const dataset = service.dataset(textId);
  const cells = rows.map((row) => dataset.columns.map(({ name }) => row[name] ?? null));
  return await publishRows(service, dataset, cells, mode);
}

const tick = (TradeDate: string, Ticker: string): Row => ({ TradeDate, Ticker });

beforeAll(async () => {
  service = await openTestService();
  ticks = service.dataset('eq_taq').datasetId;
  const late = await service.addAccount('late');
  const some = await service.addAccount('some');
  const none = await service.addAccount('none');
  keys = { late: late.key, some: some.key, none: none.key };
  const window = { startDate: '2025-06-18', endDate: null };
  const { rules } = writing(service.services.store);
  await rules.add({ accountId: late.accountId, datasetId: ticks, ...window, universe: [] });
  await rules.add({ accountId: some.accountId, datasetId: ticks, ...window, universe: ['AAA'] });
  service.clock.set('2025-06-18T21:00:00Z');
  await publish('eq_taq', [tick('2025-06-17', 'AAA'), tick('2025-06-18', 'AAA')]);
  await publish('eq_ipo', [{ Ticker: 'AAA' }]);
  service.clock.set('2025-06-19T21:00:00Z');
  await publish('eq_taq', [tick('2025-06-17', 'BBB')], 'append');
  service.clock.set('2025-06-20T16:00:00Z');
  await publish('eq_taq', [tick('2025-06-18', 'AAA'), tick('2025-06-18', 'BBB')]);
});
afterAll(() => service.close());

async function read(path: string, key = service.key): Promise<{ status: number; body: Json }> {
  const answer = await service.app.inject({ url: `/v1${path}`, headers: { 'x-api-key': key } });
  return { status: answer.statusCode, body: answer.json() };
}

const listOf = (body: Json) => body.data as readonly Json[];

describe('GET /meta/datasets/{id}/versions', () => {
  it('lists the versions, the newest first, with when and of how many rows each is', async () => {
    const { body } = await read(`/meta/datasets/${ticks}/versions`);
    expect(
      listOf(body).map(({ version, published_at, row_count }) => [
        version,
        published_at,
        row_count,
      ]),
    ).toEqual([
      [3, '2025-06-20T16:00:00Z', 4],
      [2, '2025-06-19T21:00:00Z', 3],
      [1, '2025-06-18T21:00:00Z', 2],
    ]);
    expect(listOf(body)[0]).toMatchObject({
      ...{ kind: 'load', vendor: 'Test', reason: null, is_current: true, is_available: true },
      content_digest: expect.stringMatching(/^[\da-f]{32}$/),
    });
    expect(listOf(body)[1]).toMatchObject({ is_current: false, is_available: true });
  });

  it('goes on by pages', async () => {
    const versions: unknown[] = [];
    for (let before = ''; ; ) {
      const { body } = await read(`/meta/datasets/${ticks}/versions?limit=2${before}`);
      versions.push(...listOf(body).map(({ version }) => version));
      const { next_before: next } = body.pagination as Json;
      if (next === null) break;
      before = `&before=${next}`;
    }
    expect(versions).toEqual([3, 2, 1]);
  });

  it.each(['late', 'some'] as const)(
    'hides sums of rows that an account may not read (%s)',
    async (who) => {
      const { body } = await read(`/meta/datasets/${ticks}/versions`, keys[who]);
      for (const version of listOf(body)) {
        expect(version).toMatchObject({
          row_count: null,
          stored_bytes: null,
          content_digest: null,
        });
      }
      const { body: status } = await read(`/meta/datasets/${ticks}/status`, keys[who]);
      expect(status).toMatchObject({ version: 3, row_count: null });
    },
  );

  it('tells what is no longer available', async () => {
    const { body } = await read(`/meta/datasets/${service.dataset('eq_ipo').datasetId}/versions`);
    expect(listOf(body)).toMatchObject([{ version: 1, is_current: true, is_available: true }]);
  });

  it.each([
    ['', 403],
    ['/1', 403],
  ])('is for those who may read the dataset: %j', async (rest, status) => {
    const answer = await read(`/meta/datasets/${ticks}/versions${rest}`, keys.none);
    expect([answer.status, answer.body.detail]).toEqual([
      status,
      `This identity does not have access to dataset ${ticks}`,
    ]);
  });

  it.each([
    ['?limit=0', 422],
    ['?before=x', 422],
    ['?nope=1', 422],
    ['?limit=1&limit=2', 422],
    ['/0', 422],
    ['/x', 422],
    ['/1?after=2025-6-1', 422],
    ['/9', 404],
  ])('refuses %s with a %i', async (rest, status) => {
    const answer = await read(`/meta/datasets/${ticks}/versions${rest}`);
    expect(answer.status).toBe(status);
  });
});

describe('GET /meta/datasets/{id}/versions/{version}', () => {
  const partitionsOf = async (version: number, key?: string) => {
    const { body } = await read(`/meta/datasets/${ticks}/versions/${version}`, key);
    return (body.partitions as Json[]).map((each) => [
      each.partition,
      each.change,
      each.rows_before,
      each.rows_after,
    ]);
  };

  it('tells what a version changed', async () => {
    expect(await partitionsOf(1)).toEqual([
      ['2025-06-17', 'added', 0, 1],
      ['2025-06-18', 'added', 0, 1],
    ]);
    expect(await partitionsOf(2)).toEqual([['2025-06-17', 'replaced', 1, 2]]);
    expect(await partitionsOf(3)).toEqual([['2025-06-18', 'replaced', 1, 2]]);
  });

  it('hides partitions outside of the windows, and rows of other identifiers', async () => {
    expect(await partitionsOf(1, keys.late)).toEqual([['2025-06-18', 'added', 0, 1]]);
    expect(await partitionsOf(2, keys.late)).toEqual([]);
    expect(await partitionsOf(3, keys.some)).toEqual([['2025-06-18', 'replaced', null, null]]);
  });

  it('goes on by pages', async () => {
    const first = await read(`/meta/datasets/${ticks}/versions/1?limit=1`);
    expect(first.body.pagination).toEqual({ after: null, limit: 1, next_after: '2025-06-17' });
    const second = await read(`/meta/datasets/${ticks}/versions/1?limit=1&after=2025-06-17`);
    expect(second.body.partitions).toMatchObject([{ partition: '2025-06-18' }]);
    expect(second.body.pagination).toMatchObject({ next_after: null });
  });
});

describe('GET /publications', () => {
  const eventsOf = async (query = '', key?: string) => {
    const { body } = await read(`/publications${query}`, key);
    return listOf(body).map(({ publication_id, datasets }) => [
      publication_id,
      ...(datasets as Json[]).map(
        (each) => `${each.dataset_id} ${each.version} ${each.partitions}`,
      ),
    ]);
  };

  it("tells what was published of the account's datasets, oldest first", async () => {
    const ipo = service.dataset('eq_ipo').datasetId;
    expect(await eventsOf()).toEqual([
      [1, `${ticks} 1 2025-06-17,2025-06-18`],
      [2, expect.stringContaining(`${ipo} 1 `)],
      [3, `${ticks} 2 2025-06-17`],
      [4, `${ticks} 3 2025-06-18`],
    ]);
  });

  it('tells nothing of other datasets and of days outside the windows', async () => {
    const expected = [
      [1, `${ticks} 1 2025-06-18`],
      [4, `${ticks} 3 2025-06-18`],
    ];
    expect(await eventsOf('', keys.late)).toEqual(expected);
    expect(await eventsOf('', keys.some)).toEqual(expected);
    expect(await eventsOf('', keys.none)).toEqual([]);
  });

  it('is polled with the id that it gave, also past what concerns somebody else', async () => {
    const first = (await read('/publications?limit=1', keys.late)).body;
    expect(first.pagination).toEqual({ after: 0, limit: 1, next_after: 1, has_more: true });
    const second = (await read('/publications?after=1', keys.late)).body;
    expect(listOf(second)).toMatchObject([{ publication_id: 4, state: 'published' }]);
    expect(second.pagination).toMatchObject({ next_after: 4, has_more: false });
    const third = (await read('/publications?after=4', keys.late)).body;
    expect(third).toMatchObject({ data: [], pagination: { next_after: 4, has_more: false } });
    expect((await read('/publications?after=99')).status).toBe(404);
  });

  it("waits for the account's turn, and reads by the rules that it has then", async () => {
    const { accountId, key } = await service.addAccount('impatient');
    const { datasetId } = service.dataset('eq_ipo');
    const { gate, config, store } = service.services;
    const { rules } = writing(store);
    const window = { startDate: '1900-01-01', endDate: null, universe: [] };
    const ruleId = await rules.add({ accountId, datasetId, ...window });
    expect(listOf((await read('/publications', key)).body)).toHaveLength(1);
    const turn = Promise.withResolvers<void>();
    const never = new AbortController().signal;
    const running = Array.from({ length: config.queriesMax }, () =>
      gate.run(accountId, never, () => turn.promise),
    );
    // Beside other accounts it may not have every turn.
    const waitingCount = gate.waitingCount + 1;
    const waiting = read('/publications', key);
    await expect.poll(() => gate.waitingCount).toBe(waitingCount);
    await rules.delete(ruleId);
    turn.resolve();
    await Promise.all(running);
    expect((await waiting).body.data).toEqual([]);
  });

  it('misses none that began before another one and ended after it', async () => {
    const { lake } = service.services;
    const [slow, quick] = ['eq_ipo', 'eq_announce'].map(service.dataset);
    const [before] = [(await read('/publications')).body.pagination as Json];
    const started = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const late = lake.publication(
      { datasets: [slow as never], command: 'test' },
      async (publication) => {
        started.resolve();
        await goOn.promise;
        const writer = await lake.openWriter(slow as never);
        await publication.write({ dataset: slow as never, mode: 'replace-all' }, writer);
        await writer.close();
      },
    );
    await started.promise;
    await publish('eq_announce', [{ Ticker: 'AAA' }]);
    const seen = (await read(`/publications?after=${before?.next_after}`)).body;
    expect(listOf(seen).map(({ datasets }) => (datasets as Json[])[0]?.dataset_id)).toEqual([
      quick?.datasetId,
    ]);
    goOn.resolve();
    await late;
    const after = (seen.pagination as Json).next_after;
    const rest = (await read(`/publications?after=${after}`)).body;
    expect(listOf(rest).map(({ datasets }) => (datasets as Json[])[0]?.dataset_id)).toEqual([
      slow?.datasetId,
    ]);
  });

  it('tells administrators also why nothing was published, and nobody else', async () => {
    const { lake, store } = service.services;
    const dataset = service.dataset('eq_taq');
    await lake
      .publication({ datasets: [dataset], command: 'test' }, async () => {
        throw new Error('the disk is on fire');
      })
      .catch(() => {});
    const texts = async () => JSON.stringify((await read('/publications')).body);
    expect(await texts()).not.toContain('failed');
    await writing(store).accounts.update(service.accountId, { isAdmin: true });
    expect(await texts()).toContain('the disk is on fire');
    await writing(store).accounts.update(service.accountId, { isAdmin: false });
  });
});
