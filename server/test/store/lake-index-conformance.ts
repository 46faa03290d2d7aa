/** The tests that every kind of index passes: each kind has one test file that runs them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import * as fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { dateOfDays } from '../../src/engine/columns.ts';
import type { RowGroup } from '../../src/engine/part.ts';
import { eachKeptPart, type KeptPart } from '../../src/store/kept-parts.ts';
import { type LakeIndex, type NewPart, PublicationConflict } from '../../src/store/lake-index.ts';
import type {
  EndedQuery,
  EndState,
  LoadedDates,
  NewPublication,
} from '../../src/store/publications.ts';
import type { Security } from '../../src/store/securities.ts';

export interface LakeIndexKind {
  /** Exports `openIndex`, for other processes: absolute path of a module. */
  readonly module: string;
  /** Another connection to the index at a location, which is made where there is none. */
  openIndex(location: string): Promise<LakeIndex>;
  /** A location without an index. */
  newLocation(): Promise<string>;
  remove(location: string): Promise<void>;
  /** True if a killed process may appear alive for a while. */
  readonly isDeathToldLate: boolean;
}

const AT = '2026-11-20T20:00:00Z';
const NOW_MS = Date.parse(AT);
const HANGS_AFTER_MS = 300_000;
const [A, B] = ['US9001', 'US9002'] as const;

let serial = 0;

function rowGroupsOf(rowCounts: readonly number[]): RowGroup[] {
  return rowCounts.map((rowCount, at) => ({
    rowCount,
    byteCount: rowCount * 10,
    bounds: {
      Day: { min: '2026-11-18', max: '2026-11-18' },
      Name: { min: `${at}`, max: '\u{1F600}' },
      Number: { min: 2n ** 62n + BigInt(at), max: 2n ** 63n - 1n },
      Price: { min: Number.NEGATIVE_INFINITY, max: 1.5 },
      Nothing: { min: null, max: null },
    },
  }));
}

function partOf(key: string, part: Partial<NewPart> = {}): NewPart {
  serial++;
  return {
    ...{ key, location: `somewhere/${serial}`, digest: `${serial}`.padStart(64, '0') },
    contentDigest: `${serial}`.padStart(32, '0'),
    ...{ rowCount: 3, byteCount: 30, storedByteCount: 40, firstDate: null, lastDate: null },
    ...{ vendors: ['Acme'], publicationIds: [1], rowGroups: rowGroupsOf([1, 2]) },
    storedColumns: [{ name: 'Day', dataType: 'date' }],
    ...part,
  };
}

interface NewVersion {
  readonly datasetId: string;
  readonly version: number;
  readonly parts: readonly NewPart[];
  /** True if partitions not listed in `parts` are dropped. */
  readonly dropsOthers: boolean;
}

function versionOf(datasetId: string, version: number, ...parts: NewPart[]): NewVersion {
  return { datasetId, version, parts, dropsOthers: false };
}

function newPublication(datasetIds: readonly string[]): NewPublication {
  return {
    ...{ datasetIds, kind: 'load', command: 'test', actor: 'local:test', reason: null },
    ...{ vendor: null, lifeMark: `mark-${serial++}`, startedAt: AT },
  };
}

function begin(
  index: LakeIndex,
  datasetIds: readonly string[] = [A],
  given: Partial<NewPublication> = {},
) {
  return index.ledger.begin({ ...newPublication(datasetIds), ...given });
}

async function stage(index: LakeIndex, publicationId: number, version: NewVersion) {
  const { datasetId, parts, dropsOthers } = version;
  const current = (await index.versions.version(datasetId))?.parts ?? [];
  const baseOf = (key: string) => current.find((part) => part.key === key)?.id ?? null;
  const dropped = current.filter(({ key }) => parts.every((part) => part.key !== key));
  const staged = [
    ...parts.map((part) => ({ key: part.key, part, baseId: baseOf(part.key) })),
    ...(dropsOthers ? dropped : []).map(({ key, id }) => ({ key, part: null, baseId: id })),
  ];
  const baseVersion = version.version - 1;
  await index.stage(publicationId, { datasetId, baseVersion, parts: staged });
}

async function commit(index: LakeIndex, publicationId: number, ...versions: NewVersion[]) {
  for (const version of versions) await stage(index, publicationId, version);
  return await index.commit(publicationId, NOW_MS);
}

async function publish(index: LakeIndex, ...versions: NewVersion[]): Promise<number> {
  const publicationId = await begin(
    index,
    versions.map(({ datasetId }) => datasetId),
  );
  await commit(index, publicationId, ...versions);
  return publicationId;
}

async function locationsOf(index: LakeIndex, datasetId: string) {
  return ((await index.versions.version(datasetId))?.parts ?? []).map(({ location }) => location);
}

/**
 * Publishes `count` versions of two datasets together, each as often as it takes, beside others who
 * do so too; then says so. What it commits has its name in its locations.
 */
const PUBLISHER = `
const [module, location, name, count] = process.argv.slice(1);
const { openIndex } = await import(module);
const index = await openIndex(location);
const [A, B] = ['${A}', '${B}'];
for (let done = 0; done < Number(count); ) {
  const lifeMark = name;
  const publicationId = await index.ledger.begin({ datasetIds: [A, B], kind: 'load',
    command: 'race', actor: name, reason: null, vendor: null, lifeMark, startedAt: '${AT}' });
  try {
    for (const datasetId of [A, B]) {
      const { version = 0, parts: [current] = [] } = (await index.versions.version(datasetId)) ?? {};
      const part = {
        key: 'all', location: [name, datasetId, version + 1, publicationId].join('/'),
        digest: name + version, contentDigest: '0'.repeat(32), rowCount: 1, byteCount: 1,
        storedByteCount: 1, firstDate: null, lastDate: null, vendors: [name], publicationIds: [],
        storedColumns: [], rowGroups: [] };
      const staged = { key: 'all', part, baseId: current?.id ?? null };
      await index.stage(publicationId, { datasetId, baseVersion: null, parts: [staged] });
    }
    await index.commit(publicationId, Date.now());
    done++;
  } catch (error) {
    if (error.name !== 'PublicationConflict') throw error;
    await index.ledger.finish(publicationId, 'failed', 'conflict', '${AT}');
  }
}
await index.close();`;

/** Notes a publication and where it is going to write, and stays until it is killed. */
const HANGING = `
const [module, location] = process.argv.slice(1);
const { openIndex } = await import(module);
const index = await openIndex(location);
await index.ledger.begin({ datasetIds: ['${A}'], kind: 'load', command: 'test', actor: 'test',
  reason: null, vendor: null, lifeMark: 'killed', startedAt: '${AT}' });
await index.space.addPending(['somewhere/unfinished'], 0);
console.log('noted');
setInterval(() => {}, 1000);`;

/** Holds the lock of publishers and a life mark, whose name it tells, until it is killed. */
const HOLDING = `
const [module, location] = process.argv.slice(1);
const { openIndex } = await import(module);
const { publishers } = await openIndex(location);
const held = [await publishers.holdLife(), await publishers.tryLock()];
console.log(held[0].name);
setInterval(() => held, 1000);`;

const SECURITIES_EACH = 20;

/** Gives the next number to companies of the name of the process, one after the other. */
const ASSIGNING = `
const [module, location, name] = process.argv.slice(1);
const { openIndex } = await import(module);
const index = await openIndex(location);
for (let each = 0; each < ${SECURITIES_EACH}; each++) {
  await index.securities.assign((known) => ({ changed: [{ securityId: known.length + 1, firstTicker: name + each,
    firstDate: null, historyName: null, periods: [] }] }));
}
await index.close();`;

function securityOf(securityId: number, given: Partial<Security> = {}): Security {
  const period = { ticker: 'ABC', startDate: '1998-01-02', endDate: '2099-12-31', venue: 'NYSE' };
  return {
    ...{ securityId, firstTicker: 'ABC', firstDate: '1998-01-02', historyName: 'abc' },
    ...{ periods: [period], ...given },
  };
}

export function testLakeIndex(kind: LakeIndexKind): void {
  const opened: LakeIndex[] = [];
  const locations: string[] = [];
  const children: ChildProcess[] = [];

  async function open(location: string): Promise<LakeIndex> {
    const index = await kind.openIndex(location);
    opened.push(index);
    return index;
  }

  /** Connections to one new index. */
  async function openTogether(count: number): Promise<LakeIndex[]> {
    const location = await kind.newLocation();
    locations.push(location);
    const indexes: LakeIndex[] = [];
    while (indexes.length < count) indexes.push(await open(location));
    return indexes;
  }

  async function openOne(): Promise<LakeIndex> {
    return (await openTogether(1))[0] as LakeIndex;
  }

  function start(script: string, location: string, ...rest: string[]): ChildProcess {
    const program = ['--input-type=module', '-e', script, kind.module, location, ...rest];
    const child = spawn(process.execPath, program, { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    return child;
  }

  afterEach(async () => {
    for (const child of children.splice(0)) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    for (const index of opened.splice(0)) await index.close();
    for (const location of locations.splice(0)) await kind.remove(location);
  });

  describe('versions', () => {
    it('are none of a dataset that nobody has published', async () => {
      const index = await openOne();
      expect([await index.versions.dataset(A), await index.versions.version(A)]).toEqual([
        null,
        null,
      ]);
      expect([await index.versions.vendors(), await index.space.keptParts(0, 9)]).toEqual([[], []]);
      expect(await index.versions.isEmpty()).toBe(true);
    });

    it('hold what was committed, in order of keys, also for whoever opens the index later', async () => {
      const [index, other] = (await openTogether(2)) as [LakeIndex, LakeIndex];
      const dates = { firstDate: '2026-11-18', lastDate: '2026-11-19' };
      const later = partOf('2026-11-19', { ...dates, vendors: ['Acme', 'Éclair'] });
      const rowGroups = rowGroupsOf([5]);
      const identifierOrder = rowGroupsOf([2, 3]);
      const earlier = partOf('2026-11-18', { vendors: [], rowGroups, identifierOrder });
      await publish(index, versionOf(A, 1, later, earlier));
      for (const each of [index, other, await open(locations[0] as string)]) {
        const version = await each.versions.version(A);
        expect(version).toMatchObject({ version: 1, publishedAt: AT });
        const strip = ({ rowGroups: _, identifierOrder: __, ...part }: NewPart) => part;
        const known = { id: expect.any(Number), datasetId: A };
        expect(version?.parts).toEqual(
          [earlier, later].map((part) => ({ ...strip(part), ...known })),
        );
        const ids = version?.parts.map(({ id }) => id).reverse() ?? [];
        expect(await each.versions.rowGroups(ids)).toEqual([later.rowGroups, earlier.rowGroups]);
        expect(await each.versions.identifierOrders(ids)).toEqual([null, earlier.identifierOrder]);
        expect(await each.versions.vendors()).toEqual(['', 'Acme', 'Éclair']);
        expect(await each.versions.isEmpty()).toBe(false);
      }
    });

    it('count a dataset without rows as published, with vendors of nobody', async () => {
      const index = await openOne();
      await publish(index, versionOf(A, 1));
      expect(await index.versions.version(A)).toMatchObject({
        version: 1,
        publishedAt: AT,
        parts: [],
      });
      expect(await index.versions.vendors()).toEqual([]);
      expect(await index.versions.isEmpty()).toBe(true);
    });

    it('never give an id a second time, nor one digest for another part', async () => {
      const index = await openOne();
      const ids = new Set<number>();
      for (let version = 1; version <= 4; version++) {
        await publish(index, versionOf(A, version, partOf('all')));
        const [part] = (await index.versions.version(A))?.parts ?? [];
        ids.add(part?.id ?? 0);
        await index.space.dropVersions(A, version, NOW_MS);
        await index.space.forget(await index.space.leftovers(NOW_MS));
      }
      expect(ids.size).toBe(4);
    });

    it('are after any publications what a plain model of them is', async () => {
      const key = fc.constantFrom('2024', '2025', '2026');
      const step = fc.record({
        datasetIds: fc.uniqueArray(fc.constantFrom(A, B), { minLength: 1 }),
        keys: fc.uniqueArray(key),
        dropsOthers: fc.boolean(),
        fails: fc.boolean(),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 6 }), async (steps) => {
          const index = await openOne();
          const model = new Map<string, { version: number; parts: Map<string, string> }>();
          for (const { datasetIds, keys, dropsOthers, fails } of steps) {
            const versions = datasetIds.map((datasetId) => {
              const version = (model.get(datasetId)?.version ?? 0) + 1;
              return {
                ...versionOf(datasetId, version, ...keys.map((k) => partOf(k))),
                dropsOthers,
              };
            });
            const last = versions.at(-1) as NewVersion;
            // The last one alone is no next version: then nothing may come of the first one, too.
            if (fails) versions.splice(-1, 1, { ...last, version: last.version + 1 });
            const publishing = publish(index, ...versions);
            if (fails) {
              await expect(publishing).rejects.toThrow();
              continue;
            }
            await publishing;
            for (const { datasetId, version, parts } of versions) {
              const kept = dropsOthers ? [] : (model.get(datasetId)?.parts ?? []);
              const added = parts.map((part) => [part.key, part.location] as const);
              model.set(datasetId, { version, parts: new Map([...kept, ...added]) });
            }
          }
          for (const datasetId of [A, B]) {
            const expected = model.get(datasetId);
            const found = await index.versions.version(datasetId);
            expect(found?.version).toBe(expected?.version);
            const parts = found?.parts.map(({ key: k, location }) => [k, location]) ?? [];
            expect(parts).toEqual([...(expected?.parts ?? [])].sort());
          }
        }),
        { numRuns: 25 },
      );
    });
  });

  describe('a commit', () => {
    it('changes no dataset where one of its versions is not the next one', async () => {
      const index = await openOne();
      await publish(index, versionOf(A, 1, partOf('2025')), versionOf(B, 1, partOf('2025')));
      const before = [await index.versions.version(A), await index.versions.version(B)];
      const conflicts = [
        [versionOf(A, 2, partOf('2025')), versionOf(B, 1, partOf('2025'))],
        [versionOf(A, 2, partOf('2026')), versionOf(B, 3, partOf('2026'))],
      ];
      for (const versions of conflicts) {
        await expect(publish(index, ...versions)).rejects.toMatchObject({
          name: 'PublicationConflict',
        });
      }
      expect([await index.versions.version(A), await index.versions.version(B)]).toEqual(before);
      expect(await index.ledger.running()).toHaveLength(2);
    });

    it('changes nothing where somebody has ended the publication, as of a dead process', async () => {
      const [index, other] = (await openTogether(2)) as [LakeIndex, LakeIndex];
      const publicationId = await begin(index);
      await other.ledger.finish(publicationId, 'failed', 'interrupted', AT);
      const committing = commit(index, publicationId, versionOf(A, 1, partOf('all')));
      await expect(committing).rejects.toMatchObject({ name: 'PublicationConflict' });
      expect(await index.versions.version(A)).toBeNull();
      expect((await index.ledger.lastFinished(A)).message).toBe('interrupted');
    });

    it('changes nothing where one of its locations is taken', async () => {
      const index = await openOne();
      const first = partOf('2025');
      await publish(index, versionOf(A, 1, first));
      const again = partOf('2026', { location: first.location });
      await expect(publish(index, versionOf(B, 1), versionOf(A, 2, again))).rejects.toThrow();
      expect([await index.versions.version(B), await locationsOf(index, A)]).toEqual([
        null,
        [first.location],
      ]);
    });

    it('clears what was pending and ends its publication', async () => {
      const index = await openOne();
      const part = partOf('all');
      const publicationId = await begin(index);
      await index.space.addPending([part.location], 0);
      await commit(index, publicationId, versionOf(A, 1, part));
      expect((await index.space.leftovers(NOW_MS)).pending).toEqual([]);
      expect(await index.ledger.running()).toEqual([]);
      expect(await index.ledger.lastFinished(A)).toEqual({
        ...{ state: 'published', startedAt: AT, finishedAt: AT, message: null, isNoted: false },
      });
    });
  });

  describe('leftovers', () => {
    it('are the parts of versions that were dropped alone, from that moment on', async () => {
      const index = await openOne();
      const parts = ['2024', '2025', '2026'].map((key) => partOf(key));
      const [first, second, third] = parts.map(({ location }) => location);
      await publish(index, versionOf(A, 1, ...parts));
      const successor = partOf('2025');
      await publish(index, versionOf(A, 2, successor));
      await publish(index, { ...versionOf(A, 3, partOf('2026')), dropsOthers: true });
      expect((await index.space.leftovers(NOW_MS)).retired).toEqual([]);
      await index.space.dropVersions(A, 2, NOW_MS);
      expect((await index.space.leftovers(NOW_MS - 1)).retired).toEqual([]);
      expect((await index.space.leftovers(NOW_MS)).retired).toEqual([second]);
      await index.space.dropVersions(A, 99, NOW_MS);
      const { retired } = await index.space.leftovers(NOW_MS);
      expect(retired.toSorted()).toEqual([first, second, third, successor.location].toSorted());
      expect(await locationsOf(index, A)).toHaveLength(1);
      expect((await index.versions.dataset(A))?.firstVersion).toBe(3);
    });

    it('can be asked for their row groups until they are forgotten', async () => {
      const index = await openOne();
      const part = partOf('all');
      await publish(index, versionOf(A, 1, part));
      const [id = 0] = (await index.versions.version(A))?.parts.map((each) => each.id) ?? [];
      await publish(index, versionOf(A, 2, partOf('all')));
      await index.space.dropVersions(A, 2, NOW_MS);
      expect(await index.versions.rowGroups([id])).toEqual([part.rowGroups]);
      const leftovers = await index.space.leftovers(NOW_MS);
      await index.space.forget(leftovers);
      await expect(index.versions.rowGroups([id])).rejects.toThrow();
      expect(await index.space.leftovers(NOW_MS)).toEqual({ pending: [], retired: [] });
    });

    it('are at once what was staged for a publication that came to nothing', async () => {
      const index = await openOne();
      const publicationId = await begin(index);
      const [part, again] = [partOf('all'), partOf('all')];
      await stage(index, publicationId, versionOf(A, 1, part));
      expect(await index.space.leftovers(0)).toEqual({ pending: [], retired: [] });
      await stage(index, publicationId, versionOf(A, 1, again));
      expect((await index.space.leftovers(0)).retired).toEqual([part.location]);
      await index.ledger.finish(publicationId, 'refused', 'bad rows', AT);
      const { retired } = await index.space.leftovers(0);
      expect(retired.toSorted()).toEqual([part.location, again.location].toSorted());
      expect(await index.versions.staged(publicationId, A)).toEqual(expect.anything());
      expect(await index.versions.version(A)).toBeNull();
    });

    it('are what was announced and neither committed nor removed', async () => {
      const [index, other] = (await openTogether(2)) as [LakeIndex, LakeIndex];
      await index.space.addPending(['one', 'two'], 0);
      expect((await other.space.leftovers(0)).pending.toSorted()).toEqual(['one', 'two']);
      await other.space.forget(await other.space.leftovers(0));
      expect((await index.space.leftovers(0)).pending).toEqual([]);
    });
  });

  describe('publications', () => {
    it('tell what changed each partition last, up to a version', async () => {
      const index = await openOne();
      await publish(index, versionOf(A, 1, partOf('a'), partOf('b'), partOf('c')));
      await publish(index, versionOf(A, 2, partOf('b')), versionOf(B, 1, partOf('a')));
      const withdrawal = await begin(index, [A], { kind: 'withdrawal' });
      const left = { ...versionOf(A, 3, partOf('b'), partOf('d')), dropsOthers: true };
      await commit(index, withdrawal, left);
      const lastOf = async (version: number, first: string, last: string) =>
        (await index.ledger.lastChanges(A, version, { first, last })).map(
          (each) => `${each.key} ${each.version} ${each.kind}`,
        );
      expect(await lastOf(1, 'a', 'd')).toEqual(['a 1 load', 'b 1 load', 'c 1 load']);
      expect(await lastOf(2, 'b', 'c')).toEqual(['b 2 load', 'c 1 load']);
      expect(await lastOf(9, 'a', 'd')).toEqual([
        'a 3 withdrawal',
        'b 3 withdrawal',
        'c 3 withdrawal',
        'd 3 withdrawal',
      ]);
      expect(await lastOf(0, 'a', 'd')).toEqual([]);
    });

    it('run from their beginning to their end, each for all of its datasets', async () => {
      const index = await openOne();
      expect((await index.ledger.lastFinished(A)).state).toBe('none');
      const first = await begin(index, [A, B], { startedAt: '2026-11-20T19:00:00Z' });
      const second = await begin(index, [A]);
      expect((await index.ledger.runningOf(A)).map(({ publicationId }) => publicationId)).toEqual([
        second,
        first,
      ]);
      expect(await index.ledger.runningOf(B)).toEqual([
        {
          ...{ publicationId: first, startedAt: '2026-11-20T19:00:00Z' },
          lifeMark: expect.stringMatching(/^mark-/),
        },
      ]);
      expect(await index.ledger.running()).toHaveLength(2);
      await index.ledger.finish(second, 'unchanged', 'no rows', AT);
      expect((await index.ledger.runningOf(A)).map(({ publicationId }) => publicationId)).toEqual([
        first,
      ]);
    });

    it('are open in no greater number than may be, and hold what is staged of them all', async () => {
      const [index, other] = (await openTogether(2)) as [LakeIndex, LakeIndex];
      const { lifeMark: _, ...record } = newPublication([A, B]);
      await stage(index, await begin(index, [A]), versionOf(A, 1, partOf('of a load')));
      const first = (await index.ledger.beginOpen(record, 2)) as number;
      const second = (await other.ledger.beginOpen(record, 2)) as number;
      expect(await index.ledger.publication(first)).toMatchObject({
        isOpen: true,
        state: 'running',
      });
      expect(await index.ledger.beginOpen(record, 2)).toBeNull();
      const listed = await index.ledger.publications({ limit: 10, isOpen: true });
      expect(listed.map(({ publicationId }) => publicationId)).toEqual([second, first]);
      expect(await index.space.stagedTotals()).toEqual({ partCount: 0, storedByteCount: 0 });
      const [a, b, c] = [partOf('a'), partOf('b'), partOf('c')];
      await stage(index, first, versionOf(A, 1, a, b));
      await stage(other, second, versionOf(B, 1, c));
      const bytesOf = (...parts: NewPart[]) =>
        parts.reduce((sum, { storedByteCount }) => sum + storedByteCount, 0);
      expect(await other.space.stagedTotals()).toEqual({
        ...{ partCount: 3, storedByteCount: bytesOf(a, b, c) },
      });
      await index.commit(first, NOW_MS);
      expect(await index.space.stagedTotals()).toEqual({
        partCount: 1,
        storedByteCount: bytesOf(c),
      });
      expect(await index.ledger.beginOpen(record, 2)).toBeGreaterThan(second);
      await index.ledger.finish(second, 'failed', 'abandoned', AT);
      expect(await index.space.stagedTotals()).toEqual({ partCount: 0, storedByteCount: 0 });
    });

    it('are told in the order in which they end, which is not that of their ids', async () => {
      const index = await openOne();
      const [slow, quick, refused] = [
        await begin(index, [A]),
        await begin(index, [B]),
        await begin(index, [A]),
      ];
      const endedAfter = async (after: number, publishedOnly = false) => {
        const query = { after, limit: 10, examinedMax: 10, publishedOnly };
        const page = await index.ledger.endedAfter(query);
        return page?.publications.map(({ publicationId }) => publicationId);
      };
      expect([await endedAfter(0), await endedAfter(slow)]).toEqual([[], undefined]);
      await commit(index, quick, versionOf(B, 1, partOf('a')));
      await index.ledger.finish(refused, 'refused', 'no', AT);
      await commit(index, slow, versionOf(A, 1, partOf('a')));
      expect(await endedAfter(0)).toEqual([quick, refused, slow]);
      expect(await endedAfter(quick)).toEqual([refused, slow]);
      expect(await endedAfter(refused, true)).toEqual([slow]);
      expect(await endedAfter(slow)).toEqual([]);
    });

    it('have the sources of a dataset by version, without those that are rolled back', async () => {
      const index = await openOne();
      const source = (name: string) => ({ name, byteCount: 3, sha256: name.padEnd(64, '0') });
      const [slow, quick] = [await begin(index, [A]), await begin(index, [A, B])];
      const note = (id: number, datasetId: string, ...names: string[]) =>
        index.ledger.note(id, { sources: names.map((name) => ({ datasetId, ...source(name) })) });
      await note(slow, A, 'c', 'd');
      await note(quick, A, 'a');
      await note(quick, B, 'b');
      const sources = async () => {
        const found = await index.ledger.publishedSources(A);
        return found.map(({ publicationId, name }) => [publicationId, name]);
      };
      expect(await sources()).toEqual([]);
      await commit(index, quick, versionOf(A, 1, partOf('a')), versionOf(B, 1, partOf('a')));
      await commit(index, slow, versionOf(A, 2, partOf('a')));
      expect(await sources()).toEqual([
        [quick, 'a'],
        [slow, 'c'],
        [slow, 'd'],
      ]);
      const rollback = await begin(index, [A], { kind: 'rollback' });
      await stage(index, rollback, versionOf(A, 3, partOf('a')));
      await index.commit(rollback, NOW_MS, [{ datasetId: A, publicationId: slow }]);
      expect(await sources()).toEqual([[quick, 'a']]);
      expect(await index.ledger.publishedSources(B)).toEqual([
        { publicationId: quick, ...source('b') },
      ]);
    });

    it('know rows that an earlier one has replaced or taken out, unless that was taken back', async () => {
      const index = await openOne();
      const digest = (sum: number) => ({ contentDigest: `${sum}`.padStart(32, '0') });
      const change = async (version: number, sum: number | null, given = {}) => {
        const id = await begin(index, [A], given);
        const parts = sum === null ? [] : [partOf('month', digest(sum))];
        await stage(index, id, { ...versionOf(A, version, ...parts), dropsOthers: true });
        const found = await index.ledger.reversedPartition(id, A);
        await index.commit(id, NOW_MS);
        return found && `${found.key} ${id - found.publicationId}`;
      };
      // Days 1, 20 and 300, then a correction of the second one, and day 4000.
      expect(await change(1, 21)).toBe(null);
      expect(await change(2, 321)).toBe(null);
      expect(await change(3, 351)).toBe(null);
      expect(await change(4, 4351)).toBe(null);
      expect(await change(5, 4321)).toBe('month 2');
      expect(await change(6, null)).toBe(null);
      expect(await change(7, 4321)).toBe('month 1');
      expect(await change(8, 21, { kind: 'rollback' })).toBe('month 6');
      expect(await change(9, 4321)).toBe('month 3');
    });

    it('that were refused stay known until their dates have come, or somebody says so', async () => {
      const index = await openOne();
      const loadedOf = (datasetId: string | null, days: string, file = '', areAll = false) => {
        const dates = [...days].map((day) => `2026-01-0${day}`);
        return { datasetId, dates, files: [file || 'any.csv'], areAll, needsCare: false };
      };
      const end = async (state: EndState, ...loaded: LoadedDates[]) => {
        const publicationId = await begin(index, [A]);
        await index.ledger.finish(publicationId, state, '', AT, loaded);
        return publicationId;
      };
      const noted = async () =>
        (await index.ledger.notedLoads()).map(
          ({ publicationId, datasetIds }) => `${publicationId} ${datasetIds.join(' ')}`,
        );
      expect(await noted()).toEqual([]);
      const two = await end('refused', loadedOf(A, '56'), loadedOf(B, '5'));
      const unknown = await end('refused', loadedOf(A, '', 'b.csv'));
      await end('unchanged', loadedOf(A, '67'), loadedOf(B, '4'), loadedOf(null, '56'));
      await end('failed', loadedOf(A, '56'));
      expect(await noted()).toEqual([`${unknown} ${A}`, `${two} ${A} ${B}`]);
      await end('unchanged', loadedOf(A, '456'));
      expect(await noted()).toEqual([`${unknown} ${A}`, `${two} ${B}`]);
      const committed = await begin(index, [B]);
      await stage(index, committed, versionOf(B, 1, partOf('a')));
      await index.commit(committed, NOW_MS, [], [loadedOf(B, '5')]);
      expect(await noted()).toEqual([`${unknown} ${A}`]);
      const again = await end('refused', loadedOf(A, '', 'b.csv'));
      const other = await end('refused', loadedOf(A, '', 'c.csv'), loadedOf(null, '', 'd.csv'));
      expect(await noted()).toEqual([`${other} ${A}`, `${again} ${A}`]);
      await end('unchanged', loadedOf(A, '4', 'b.csv'));
      expect(await noted()).toEqual([`${other} ${A}`]);
      await end('unchanged', loadedOf(A, '', '', true));
      expect(await noted()).toEqual([`${other} `]);
      expect(await index.ledger.acknowledge(other)).toBe(true);
      expect(await index.ledger.acknowledge(other)).toBe(false);
      expect(await noted()).toEqual([]);
      const days = await end('refused', loadedOf(A, '3456'));
      await end('unchanged', loadedOf(A, '36'));
      expect(await noted()).toEqual([`${days} ${A}`]);
      const later = await end('refused', loadedOf(A, '45'));
      expect(await noted()).toEqual([`${later} ${A}`]);
      await end('unchanged', loadedOf(A, '5'));
      await end('unchanged', loadedOf(A, '4'));
      expect(await noted()).toEqual([]);
      const dates = Array.from({ length: 20_001 }, (_, day) => dateOfDays(day));
      const long = await end('refused', { ...loadedOf(A, ''), dates });
      await end('unchanged', { ...loadedOf(A, ''), dates: dates.slice(0, -1) });
      expect(await noted()).toEqual([`${long} ${A}`]);
      await end('unchanged', { ...loadedOf(A, ''), dates: dates.slice(-1) });
      expect(await noted()).toEqual([]);
    });

    it('that were refused or failed are looked after where somebody says so, also unnoted ones', async () => {
      const index = await openOne();
      const publicationId = await begin(index, [A]);
      expect(await index.ledger.acknowledge(publicationId)).toBe(false);
      await index.ledger.finish(publicationId, 'refused', 'no', AT);
      expect(await index.ledger.lastFinished(A)).toMatchObject({ isNoted: false });
      expect(await index.ledger.acknowledge(publicationId)).toBe(true);
      expect(await index.ledger.lastFinished(A)).toMatchObject({ isNoted: true });
    });

    it('have the sources of what is staged, and none of a stage that was refused', async () => {
      const index = await openOne();
      const publicationId = await begin(index, [A]);
      const derivation = '{"rule_version":1}';
      const source = {
        ...{ datasetId: A, name: 'a.csv', byteCount: 3, sha256: 'a'.repeat(64), derivation },
      };
      const change = { datasetId: A, baseVersion: null, parts: [], sources: [source] };
      await index.stage(publicationId, change);
      const sourcesOf = async () => (await index.ledger.publication(publicationId))?.sources;
      expect(await sourcesOf()).toEqual([source]);
      await index.ledger.finish(publicationId, 'refused', 'no', AT);
      await expect(index.stage(publicationId, change)).rejects.toThrow(PublicationConflict);
      expect(await sourcesOf()).toEqual([source]);
    });

    it('are told with the datasets that were asked for, and how far was looked', async () => {
      const index = await openOne();
      const [both, other, refused, last] = [
        await begin(index, [A, B]),
        await begin(index, [B]),
        await begin(index, [A]),
        await begin(index, [A]),
      ];
      await commit(
        index,
        both,
        versionOf(A, 1, partOf('a')),
        versionOf(B, 1, partOf('a'), partOf('b')),
      );
      await commit(index, other, versionOf(B, 2, partOf('a')));
      await index.ledger.finish(refused, 'refused', 'no', AT);
      await commit(index, last, versionOf(A, 2, partOf('a')));
      const ask = async (query: Partial<EndedQuery>) => {
        const all = { after: 0, limit: 10, examinedMax: 10, publishedOnly: true };
        const page = await index.ledger.endedAfter({ ...all, ...query });
        return { ...page, publications: page?.publications.map((each) => each.publicationId) };
      };
      const ofA = { datasetIds: [A] };
      expect(await ask(ofA)).toEqual({ publications: [both, last], lastId: last, hasMore: false });
      expect(await ask({ ...ofA, publishedOnly: false })).toMatchObject({
        publications: [both, refused, last],
      });
      expect(await ask({ datasetIds: [] })).toEqual({
        ...{ publications: [], lastId: last, hasMore: false },
      });
      expect(await ask({ ...ofA, limit: 1 })).toEqual({
        ...{ publications: [both], lastId: both, hasMore: true },
      });
      expect(await ask({ ...ofA, after: both, examinedMax: 2 })).toEqual({
        ...{ publications: [], lastId: refused, hasMore: true },
      });
      expect(await ask({ ...ofA, after: last })).toEqual({
        ...{ publications: [], lastId: last, hasMore: false },
      });
      const page = await index.ledger.endedAfter({
        ...{ after: 0, limit: 1, examinedMax: 1, publishedOnly: true },
        ...ofA,
      });
      expect(page?.publications[0]?.datasets).toEqual([{ datasetId: A, version: 1 }]);
      expect(await index.ledger.changedKeys(both, B)).toEqual(['a', 'b']);
    });

    it('end once, and count as unpublished for each of their datasets', async () => {
      const [index, other] = (await openTogether(2)) as [LakeIndex, LakeIndex];
      const first = await begin(index, [A, B]);
      const second = await begin(other, [A, B]);
      await index.ledger.finish(second, 'refused', 'no such file', AT);
      await other.ledger.finish(second, 'failed', 'interrupted', AT);
      await other.ledger.finish(first, 'failed', 'disk is full', AT);
      await index.ledger.finish(await begin(index, [B]), 'unchanged', 'no rows', AT);
      // That which ended last, though it began first.
      expect(await index.ledger.lastFinished(A)).toEqual({
        ...{
          state: 'failed',
          startedAt: AT,
          finishedAt: AT,
          message: 'disk is full',
          isNoted: false,
        },
      });
      expect((await index.ledger.lastFinished(B)).message).toBe('no rows');
      const counts = [A, B, 'US9003'].map((datasetId) => other.ledger.unpublishedCount(datasetId));
      expect(await Promise.all(counts)).toEqual([2, 2, 0]);
      const ends = [A, 'US9003'].map((datasetId) => other.ledger.lastUnpublished(datasetId));
      expect(await Promise.all(ends)).toEqual([AT, null]);
      expect(await index.ledger.running()).toEqual([]);
    });
  });

  describe('publishers', () => {
    const wait = { timeoutMs: 0, timeoutError: () => new Error('still held') };

    it('hold the lock one at a time, until they release it', async () => {
      const [index, other] = (await openTogether(2)) as [LakeIndex, LakeIndex];
      const held = await index.publishers.tryLock();
      expect(held).not.toBeNull();
      expect([await index.publishers.tryLock(), await other.publishers.tryLock()]).toEqual([
        null,
        null,
      ]);
      await expect(other.publishers.lock(wait)).rejects.toThrow('still held');
      let isWaiting = false;
      const onWait = () => {
        isWaiting = true;
      };
      const next = other.publishers.lock({ ...wait, timeoutMs: HANGS_AFTER_MS, onWait });
      await expect.poll(() => isWaiting).toBe(true);
      await held?.release();
      await (await next).release();
      await (await index.publishers.lock(wait)).release();
    });

    it('stop waiting for the lock when they are told to', async () => {
      const [index, other] = (await openTogether(2)) as [LakeIndex, LakeIndex];
      const held = await index.publishers.tryLock();
      const signal = AbortSignal.abort(new Error('SIGINT'));
      const waiting = other.publishers.lock({ ...wait, timeoutMs: HANGS_AFTER_MS, signal });
      await expect(waiting).rejects.toThrow('SIGINT');
      await held?.release();
    });

    it('are alive for everybody as long as they hold their mark', async () => {
      const [index, other] = (await openTogether(2)) as [LakeIndex, LakeIndex];
      const marks = [await index.publishers.holdLife(), await index.publishers.holdLife()];
      const areAlive = () => Promise.all(marks.map(({ name }) => other.publishers.isAlive(name)));
      expect(await areAlive()).toEqual([true, true]);
      await other.publishers.sweep();
      await marks[0]?.release();
      expect(await areAlive()).toEqual([false, true]);
      expect(await index.publishers.isAlive('unknown')).toBe(false);
      await marks[1]?.release();
    });

    it('lose lock and life when their process is killed', async () => {
      const index = await openOne();
      const child = start(HOLDING, locations[0] as string);
      const [output] = await once(child.stdout as NodeJS.ReadableStream, 'data');
      const name = String(output).trim();
      expect(await index.publishers.isAlive(name)).toBe(true);
      expect(await index.publishers.tryLock()).toBeNull();
      child.kill('SIGKILL');
      await once(child, 'exit');
      const isAlive = () => index.publishers.isAlive(name);
      if (kind.isDeathToldLate) await expect.poll(isAlive).toBe(false);
      expect(await isAlive()).toBe(false);
      await (await index.publishers.lock({ ...wait, timeoutMs: HANGS_AFTER_MS })).release();
    });
  });

  it('lists the parts of all retained versions, some at a time, and tells the current ones', async () => {
    const index = await openOne();
    await publish(index, versionOf(B, 1, partOf('2025'), partOf('2026')));
    await publish(index, versionOf(A, 1, partOf('2026', { storedByteCount: 77 })));
    await publish(index, versionOf(B, 2, partOf('2025')));
    const listed: KeptPart[] = [];
    for (;;) {
      const page = await index.space.keptParts(listed.at(-1)?.id ?? 0, 2);
      if (page.length === 0) break;
      expect(page.length).toBeLessThanOrEqual(2);
      listed.push(...page);
    }
    expect(listed.map(({ id }) => id)).toEqual([1, 2, 3, 4]);
    expect(listed.map(({ datasetId, key, isCurrent }) => [datasetId, key, isCurrent])).toEqual([
      [B, '2025', false],
      [B, '2026', true],
      [A, '2026', true],
      [B, '2025', true],
    ]);
    expect(listed[2]?.storedByteCount).toBe(77);
    const storedByteCount = listed.reduce((sum, part) => sum + part.storedByteCount, 0);
    expect(await index.space.keptTotals()).toEqual({ partCount: 4, storedByteCount });
    await index.space.dropVersions(B, 2, NOW_MS);
    expect((await index.space.keptParts(0, 9)).map(({ id }) => id)).toEqual([2, 3, 4]);
    const [first = { location: '' }] = listed;
    expect(await index.space.keepsLocation(first.location)).toBe(false);
    expect(await index.space.keepsLocation(listed[1]?.location ?? '')).toBe(true);
    // A dropped part is known until all of it is gone; an incoming one, from the start.
    await index.space.addPending(['somewhere/pending'], 0);
    for (const location of [first.location, 'somewhere/pending']) {
      expect(await index.space.knowsLocation(location)).toBe(true);
    }
    await index.space.forget(await index.space.leftovers(NOW_MS));
    for (const location of [first.location, 'somewhere/pending', 'nowhere']) {
      expect(await index.space.knowsLocation(location)).toBe(false);
    }
  });

  it('marks every change of any connection, and nothing else', async () => {
    const [index, other] = (await openTogether(2)) as [LakeIndex, LakeIndex];
    const changes = [
      () => publish(index, versionOf(A, 1, partOf('all'))),
      () => publish(other, versionOf(A, 2, partOf('all'))),
      () => begin(other),
      () => index.space.addPending(['somewhere'], 0),
      async () => other.space.forget(await other.space.leftovers(0)),
    ];
    for (const change of changes) {
      const before = await index.changeMark();
      await index.versions.version(A);
      await other.ledger.runningOf(A);
      expect(await index.changeMark()).toBe(before);
      await change();
      expect(await index.changeMark()).not.toBe(before);
    }
  });

  it('lets two connections that commit at once both have their way, one after the other', async () => {
    const indexes = await openTogether(2);
    const publications = await Promise.all(
      indexes.map(async (index, at) => {
        const datasetId = at === 0 ? A : B;
        for (let version = 1; version <= 20; version++) {
          await publish(index, versionOf(datasetId, version, partOf('all')));
        }
        return datasetId;
      }),
    );
    for (const datasetId of publications) {
      expect((await indexes[0]?.versions.version(datasetId))?.version).toBe(20);
    }
  });

  it('lets processes race without a lost version or half a publication', async () => {
    const VERSIONS_EACH = 30;
    const index = await openOne();
    const location = locations[0] as string;
    const names = ['one', 'two'];
    const ends = names.map((name) =>
      once(start(PUBLISHER, location, name, `${VERSIONS_EACH}`), 'exit'),
    );
    const all = Promise.all(ends);
    let isOver = false;
    const over = all.finally(() => {
      isOver = true;
    });
    let version = 0;
    while (!isOver) {
      // The second dataset is asked later, so it may be ahead, but never behind.
      const [first, second] = [await index.versions.version(A), await index.versions.version(B)];
      expect(first?.version ?? 0).toBeGreaterThanOrEqual(version);
      version = first?.version ?? 0;
      expect(second?.version ?? 0).toBeGreaterThanOrEqual(version);
      expect(first?.parts.length ?? 1).toBe(1);
      await nextTurn();
    }
    expect((await over).map(([code]) => code)).toEqual([0, 0]);
    const [first, second] = [await index.versions.version(A), await index.versions.version(B)];
    expect([first?.version, second?.version]).toEqual([2 * VERSIONS_EACH, 2 * VERSIONS_EACH]);
    const publisher = (place = '') => [place.split('/')[0], place.split('/').at(-1)];
    expect(publisher(first?.parts[0]?.location)).toEqual(publisher(second?.parts[0]?.location));
    expect(await index.ledger.running()).toEqual([]);
  });

  describe('the numbers of securities', () => {
    it('are kept for all, in their order, and change with what is known of a security', async () => {
      const [index, other] = (await openTogether(2)) as [LakeIndex, LakeIndex];
      expect(await index.securities.all()).toEqual([]);
      const alone = securityOf(7, { firstTicker: 'É', firstDate: null, historyName: null });
      const large = securityOf(2 ** 52 + 1);
      await index.securities.assign(() => ({ changed: [large, alone] }));
      expect(await other.securities.all()).toEqual([alone, large]);
      const before = await index.changeMark();
      // The name of the one that changes is free for the next one at once.
      const changed = { ...alone, firstTicker: 'DEF' };
      const next = securityOf(8, { firstTicker: 'É', firstDate: null, periods: [] });
      await other.securities.assign((known) => {
        expect(known).toEqual([alone, large]);
        return { changed: [changed, next] };
      });
      expect(await index.securities.all()).toEqual([changed, next, large]);
      expect(await index.changeMark()).not.toBe(before);
      await other.securities.assign(() => ({ changed: [] }));
      expect(await index.securities.all()).toEqual([changed, next, large]);
    });

    it('are of one company each: a second number for the same one is not kept', async () => {
      const index = await openOne();
      const alone = securityOf(3, { firstDate: null });
      await index.securities.assign(() => ({ changed: [securityOf(1), alone] }));
      for (const twice of [securityOf(2), { ...alone, securityId: 4 }]) {
        const more = securityOf(9, { firstTicker: 'X' });
        await expect(index.securities.assign(() => ({ changed: [more, twice] }))).rejects.toThrow();
      }
      expect(await index.securities.all()).toEqual([securityOf(1), alone]);
    });

    it('are given by several processes one after the other', async () => {
      const index = await openOne();
      const names = ['one', 'two'];
      const ends = names.map((name) =>
        once(start(ASSIGNING, locations[0] as string, name), 'exit'),
      );
      expect((await Promise.all(ends)).map(([code]) => code)).toEqual([0, 0]);
      const numbers = (await index.securities.all()).map(({ securityId }) => securityId);
      expect(numbers).toEqual(Array.from({ length: 2 * SECURITIES_EACH }, (_, at) => at + 1));
    });
  });

  describe('a move to another place', () => {
    const movedOf = (partId: number, at = `there/${partId}`) => ({
      ...{ partId, location: at, digest: `${partId}`.padStart(64, 'd') },
      ...{ byteCount: 300, storedByteCount: 400, rowGroups: rowGroupsOf([3]) },
      identifierOrder: rowGroupsOf([2, 1]),
    });

    async function partsOfAll(index: LakeIndex) {
      const all: KeptPart[] = [];
      for await (const part of eachKeptPart(index.space)) all.push(part);
      return all;
    }

    it('has all versions read the parts there, and forgets what was to be removed here', async () => {
      const [index, other] = (await openTogether(2)) as [LakeIndex, LakeIndex];
      const first = partOf('2026-11-17');
      await publish(index, versionOf(A, 1, first, partOf('2026-11-18')));
      await publish(index, versionOf(A, 2, partOf('2026-11-18')));
      await publish(index, versionOf(A, 3, partOf('2026-11-18')));
      await index.space.dropVersions(A, 2, NOW_MS);
      const before = await index.versions.version(A, 2);
      const lock = await index.publishers.tryLock();
      await index.space.addPending(['gone'], 0);
      for (const { id } of await partsOfAll(index)) {
        expect(await index.moves.begunMove('P', id)).toBe(null);
        await index.moves.noteMoving('P', id, 'first try');
        const begun = { location: 'first try', storedByteCount: 0, isWhole: false };
        expect(await other.moves.begunMove('P', id)).toEqual(begun);
        await index.moves.noteMoved('P', movedOf(id));
        await index.moves.noteMoved('Q', movedOf(id, `elsewhere/${id}`));
        const moved = { location: `there/${id}`, storedByteCount: 400, isWhole: true };
        expect(await other.moves.begunMove('P', id)).toEqual(moved);
      }
      const mark = await other.changeMark();
      await index.moves.finishMove('P');
      await lock?.release();

      expect(await other.changeMark()).not.toBe(mark);
      const after = await other.versions.version(A, 2);
      expect(after?.parts).toEqual(
        before?.parts.map((part) => {
          const { location, digest, byteCount, storedByteCount } = movedOf(part.id);
          return { ...part, location, digest, byteCount, storedByteCount };
        }),
      );
      const ids = (await partsOfAll(other)).map(({ id }) => id);
      expect(ids).toHaveLength(3);
      expect(await other.versions.rowGroups(ids)).toEqual(ids.map(() => rowGroupsOf([3])));
      expect(await other.versions.identifierOrders(ids)).toEqual(
        ids.map(() => rowGroupsOf([2, 1])),
      );
      expect(await other.space.leftovers(NOW_MS)).toEqual({ pending: [], retired: [] });
      expect(await other.space.knowsLocation(first.location)).toBe(false);
      expect(await index.moves.begunMove('P', ids[0] as number)).toBe(null);
      expect(await other.moves.settlePlace('Q')).toBe('P');
    });

    it('keeps the last epoch that was noted, in whatever order several processes note theirs', async () => {
      const index = await openOne();
      await index.moves.settlePlace('P');
      for (const epoch of [2, 1]) await index.moves.noteEpoch(epoch);
      expect(await index.moves.epoch()).toBe(2);
    });

    it('changes nothing while a part is missing there, or a publication is open', async () => {
      const index = await openOne();
      await publish(index, versionOf(A, 1, partOf('2026-11-17'), partOf('2026-11-18')));
      const before = await partsOfAll(index);
      const [one, two] = before as [KeptPart, KeptPart];
      const lock = await index.publishers.tryLock();
      await index.moves.noteMoved('P', movedOf(one.id));
      await index.moves.noteMoved('Q', movedOf(two.id));
      await expect(index.moves.finishMove('P')).rejects.toThrow(PublicationConflict);
      await index.moves.noteMoving('P', two.id, 'being written');
      await expect(index.moves.finishMove('P')).rejects.toThrow('a part is not in P yet');
      await index.moves.noteMoved('P', movedOf(two.id));
      const publicationId = await begin(index);
      await expect(index.moves.finishMove('P')).rejects.toThrow('a publication is open');
      expect(await partsOfAll(index)).toEqual(before);
      await commit(index, publicationId, versionOf(A, 2, partOf('2026-11-18')));
      await expect(index.moves.finishMove('P')).rejects.toThrow('a part is not in P yet');
      expect(await index.moves.settlePlace('H')).toBe('H');
      await lock?.release();
    });

    it('notes the first place that is named, until it is changed', async () => {
      const [index, other] = (await openTogether(2)) as [LakeIndex, LakeIndex];
      const named = await Promise.all([index.moves.settlePlace('H'), other.moves.settlePlace('P')]);
      expect(named).toEqual([named[0], named[0]]);
      const lock = await index.publishers.tryLock();
      await index.moves.changePlace('Q');
      await lock?.release();
      expect(await other.moves.settlePlace('H')).toBe('Q');
    });
  });

  it('keeps what a process has noted that was killed', async () => {
    const index = await openOne();
    const before = await index.changeMark();
    const child = start(HANGING, locations[0] as string);
    await once(child.stdout as NodeJS.ReadableStream, 'data');
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await index.changeMark()).not.toBe(before);
    expect(await index.ledger.runningOf(A)).toMatchObject([{ lifeMark: 'killed' }]);
    expect((await index.space.leftovers(0)).pending).toEqual(['somewhere/unfinished']);
  });
}
