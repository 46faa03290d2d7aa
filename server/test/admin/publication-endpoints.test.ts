import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { CellValue } from '../../src/engine/columns.ts';
import { PublishingTurn } from '../../src/lake/publishing-turn.ts';
import { type AdminService, openAdminService } from './admin-service.ts';

interface Summary {
  readonly publication_id: number;
  readonly state: string;
}

interface Entry {
  readonly actor: string;
  readonly target: string;
  readonly after: Readonly<Record<string, unknown>>;
}

const TEXT_ID = 'eq_daily_ohlc';
const DATASET = 'US1020';
const ROOT = '/admin/publications';

let service: AdminService;
beforeAll(async () => {
  service = await openAdminService();
  await publish(['2025-06-17', 'AAA'], ['2025-06-18', 'AAA'], ['2025-06-18', 'BBB']);
  await publish(['2025-06-18', 'BAD']);
});
afterAll(() => service.close());

async function publish(...rows: [date: string, ticker: string][]): Promise<void> {
  const { columns } = service.dataset(TEXT_ID);
  const cells = rows.map(([date, ticker]) =>
    columns.map(({ name, dataType }): CellValue => {
      if (name === 'TradeDate') return date;
      return dataType === 'string' ? ticker : 1;
    }),
  );
  await service.publish(TEXT_ID, cells);
}

const rowCount = async () => (await service.services.lake.snapshot(DATASET))?.rowCount;

const newest = async () =>
  (await service.done<{ data: Summary[] }>(`${ROOT}?limit=1`)).data[0] as Summary;

async function refused(path: string, body?: object): Promise<[number, unknown]> {
  const answer = await service.ask(`${ROOT}${path}`, body);
  const { detail } = answer.json();
  return [answer.statusCode, Array.isArray(detail) ? detail.map(({ msg }) => msg) : detail];
}

describe('publications over HTTP', () => {
  it('are listed, the newest first, by dataset and state, page by page', async () => {
    const page = await service.done<{ data: Summary[]; pagination: object }>(`${ROOT}?limit=1`);
    expect(page).toMatchObject({
      data: [
        {
          ...{ publication_id: 2, kind: 'load', state: 'published', vendor: 'Test' },
          datasets: [{ dataset_id: DATASET, version: 2, replaced_partition_count: 1 }],
        },
      ],
      pagination: { limit: 1, next_before: 2 },
    });
    const ids = async (query: string) =>
      (await service.done<{ data: Summary[] }>(`${ROOT}?${query}`)).data.map(
        (each) => each.publication_id,
      );
    expect(await ids('before=2')).toEqual([1]);
    expect(await ids(`dataset_id=${TEXT_ID}&state=published`)).toEqual([2, 1]);
    expect(await ids('dataset_id=eq_taq')).toEqual([]);
  });

  it('tell their sources, checks and partitions', async () => {
    expect(await service.done(`${ROOT}/1`)).toMatchObject({
      ...{ publication_id: 1, sources: [], checks: [], source_count: 0 },
      datasets: [{ row_count_before: 0, row_count_after: 3 }],
    });
    expect(await service.done(`${ROOT}/diff?publication_id=2`)).toMatchObject({
      datasets: [
        {
          ...{ from_version: 1, to_version: 2, partition_count: 1, next_after: null },
          partitions: [{ before: { row_count: 3 }, after: { row_count: 1 } }],
        },
      ],
    });
  });

  it('are rolled back by an owner in a session, and the audit log says who did', async () => {
    const owner = await service.addPerson('owner', null);
    const { cookie, 'x-csrf-token': csrf } = await service.sessionOf(owner);
    const body = { publication_id: 2, reason: 'prices of a wrong day' };
    const post = (headers: Record<string, string>) =>
      service.app.inject({
        ...{ method: 'POST', url: `/v1${ROOT}/rollback`, payload: body },
        headers: { cookie, ...headers },
      });
    expect((await post({})).statusCode).toBe(403);
    expect(await rowCount()).toBe(1);
    const answer = await post({ 'x-csrf-token': csrf });
    expect([answer.statusCode, answer.json().kind]).toEqual([200, 'rollback']);
    expect(await rowCount()).toBe(3);
    const log = await service.done<{ data: Entry[] }>('/audit-log?operation=rollBackPublication');
    expect(log.data).toMatchObject([
      {
        ...{ actor: `person:${owner}`, target: `dataset:${DATASET}` },
        after: { publication_id: 3, rolled_back_publication_id: 2, reason: body.reason },
      },
    ]);
  });

  it('withdraw rows, after a dry run that says which', async () => {
    const body = { dataset_id: TEXT_ID, identifiers: ['BBB'], reason: 'a test symbol' };
    const dry = await service.done(`${ROOT}/withdraw`, { ...body, dry_run: true });
    expect(dry).toMatchObject({ is_dry_run: true, removed_row_count: 1 });
    expect(await rowCount()).toBe(3);
    expect(await service.done(`${ROOT}/withdraw`, body)).toMatchObject({
      publication: { kind: 'withdrawal', state: 'published', reason: 'a test symbol' },
    });
    expect(await rowCount()).toBe(2);
    const { publication_id: id } = await newest();
    await service.done(`${ROOT}/rollback`, { publication_id: id });
    expect(await rowCount()).toBe(3);
  });

  it('drop the versions that retention does not keep', async () => {
    expect(await service.done(`${ROOT}/prune`, { dry_run: true })).toEqual({
      ...{ is_dry_run: true, byte_count: 0, datasets: [] },
    });
    service.clock.set('2025-08-20T16:00:00Z');
    const dry = await service.done<{ datasets: object[] }>(`${ROOT}/prune`, { dry_run: true });
    expect(dry.datasets).toMatchObject([{ dataset_id: DATASET, versions: [1, 2] }]);
    expect(
      (await service.ask(`${ROOT}/diff?dataset_id=${DATASET}&from_version=1&to_version=5`))
        .statusCode,
    ).toBe(200);
    expect(await service.done(`${ROOT}/prune`, {})).toEqual({ ...dry, is_dry_run: false });
    expect(await refused(`/diff?dataset_id=${DATASET}&from_version=1&to_version=5`)).toEqual([
      404,
      `Version 1 of ${DATASET} is no longer retained`,
    ]);
    expect(await refused('/rollback', { dataset_id: DATASET, to_version: 1 })).toEqual([
      409,
      `Version 1 of ${DATASET} is no longer retained`,
    ]);
  });

  it('are opened, and abandoned', async () => {
    const open = await service.done<Summary>(ROOT, { dataset_ids: [TEXT_ID], vendor: 'Acme' });
    expect(open).toMatchObject({ state: 'running', is_open: true, vendor: 'Acme' });
    const body = { publication_id: open.publication_id };
    expect(await service.done(`${ROOT}/abandon`, body)).toMatchObject({ state: 'refused' });
    expect(await refused('/commit', body)).toEqual([
      409,
      `Publication ${open.publication_id} is not open`,
    ]);
  });

  it('are refused in plain words', async () => {
    expect(await refused('/99')).toEqual([404, 'There is no publication 99']);
    expect(await refused('/rollback', { publication_id: 99 })).toEqual([
      404,
      'There is no publication 99',
    ]);
    expect(await refused('/rollback', { publication_id: 2 })).toEqual([
      409,
      'Publication 2 has been rolled back already',
    ]);
    expect(await refused('/rollback', {})).toEqual([
      422,
      ["'publication_id' is missing; give it, or 'dataset_id' and 'to_version'"],
    ]);
    expect(await refused('/withdraw', { dataset_id: TEXT_ID, reason: 'x' })).toEqual([
      422,
      ["'all' is missing; give it, or 'date', 'from' and 'to', 'partitions' or 'identifiers'"],
    ]);
    expect(await refused('?limit=501&state=ended')).toEqual([
      422,
      [
        "'state' should be one of running, published, unchanged, refused, failed, rolled_back, open",
        "'limit' should be a whole number from 1 to 500",
      ],
    ]);
  });

  it('are changed one at a time, and not while another process publishes', async () => {
    const body = { dataset_id: TEXT_ID, all: true, reason: 'x', dry_run: true };
    const answers = await Promise.all([1, 2].map(() => service.ask(`${ROOT}/withdraw`, body)));
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 503]);
    const { promise, resolve } = Promise.withResolvers<void>();
    const dataset = service.dataset(TEXT_ID);
    const options = { datasets: [dataset], command: 'test' };
    const began = Promise.withResolvers<void>();
    const other = service.services.lake.publication(options, async (publication) => {
      const writer = await service.services.lake.openWriter(dataset);
      await publication.write({ dataset, mode: 'replace' }, writer);
      await writer.close();
      began.resolve();
      await promise;
    });
    await began.promise;
    // The request would wait for seconds.
    const { take } = PublishingTurn.prototype;
    using turn = vi.spyOn(PublishingTurn.prototype, 'take');
    turn.mockImplementation(function (this: PublishingTurn, wait, datasetIds) {
      return take.call(this, { ...wait, waitMs: 1 }, datasetIds);
    });
    expect(await refused('/rollback', { dataset_id: DATASET, to_version: 4 })).toEqual([
      503,
      'Another publication is under way; try again when it has ended',
    ]);
    expect(turn.mock.lastCall?.[0].waitMs).toBeGreaterThan(0);
    resolve();
    await other;
  });
});
