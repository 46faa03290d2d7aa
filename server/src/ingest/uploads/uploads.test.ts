import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, expect, test } from 'vitest';
import { fixedClock } from '../../base/clock.ts';
import { DUE_DERIVATIONS_FILE } from '../../base/home-layout.ts';
import type { LoadUpload } from './load-in-process.ts';
import type { LoadEnd, NewUpload } from './upload.ts';
import { Uploads, type UploadsOptions } from './uploads.ts';

/** Waited for what never comes. */
const HANGS_MS = 300_000;

const folder = mkdtempSync(join(tmpdir(), 'ticklake-uploads-'));
afterAll(() => rmSync(folder, { recursive: true }));
let count = 0;

const GIVEN: NewUpload = {
  datasetId: 'US1032',
  name: 'monday.csv',
  options: { mode: 'replace', allow_loss: false, max_bad_rows: 0 },
  actor: 'person:1',
  source: '127.0.0.1',
};
const PUBLISHED: LoadEnd = {
  ...{ state: 'published', report: { version: 1 }, error: null, allowedBy: null },
};

function uploadsIn(path: string, load: LoadUpload, options: Partial<UploadsOptions> = {}) {
  const clock = fixedClock('2025-06-20T16:00:00Z');
  return new Uploads({
    home: path,
    store: null,
    clock,
    uploadBytesMax: 1e6,
    uploadExpiryMs: 60_000,
    load,
    derive: null,
    ...options,
  });
}

const bytesOf = (text: string) => Readable.from([Buffer.from(text)]);

test('an upload goes on after a restart where it had come to', async () => {
  const path = join(folder, `${count++}`);
  const loaded: string[] = [];
  const load: LoadUpload = async ({ name, offset }) => {
    loaded.push(`${name} ${offset}`);
    return PUBLISHED;
  };
  const first = uploadsIn(path, load);
  const begun = await first.create(GIVEN);
  await first.receive(begun, 0, bytesOf('abc'));
  await first.close();
  const second = uploadsIn(path, load);
  const found = await second.find(begun.uploadId);
  expect(found).toMatchObject({ offset: 3, state: 'receiving', name: 'monday.csv' });
  await second.receive(found, 3, bytesOf('def'));
  await second.complete(found);
  await second.waitForEnd(found, HANGS_MS);
  expect([loaded, found.state, found.report]).toEqual([
    ['monday.csv 6'],
    'published',
    { version: 1 },
  ]);
  expect(readdirSync(join(path, 'uploads', found.uploadId))).toEqual(['.upload.json']);
  await second.close();
});

test('a load that a stop interrupts is begun again by the next server', async () => {
  const path = join(folder, `${count++}`);
  let began = 0;
  const load: LoadUpload = (_upload, _folder, signal) => {
    began += 1;
    if (began === 2) return Promise.resolve(PUBLISHED);
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve(null)));
  };
  const first = uploadsIn(path, load);
  const upload = await first.create(GIVEN);
  await first.complete(upload);
  first.stopWaiting();
  await first.waitForEnd(upload, HANGS_MS);
  expect(upload.state).toBe('loading');
  await first.close();
  const second = uploadsIn(path, load);
  const found = await second.find(upload.uploadId);
  await second.waitForEnd(found, HANGS_MS);
  expect([found.state, began]).toEqual(['published', 2]);
  await second.close();
});

test('a load whose server was killed has failed, because nobody knows how it ended', async () => {
  const path = join(folder, `${count++}`);
  const first = uploadsIn(path, () => new Promise(() => {}));
  const upload = await first.create(GIVEN);
  await first.complete(upload);
  await first.waitForEnd(upload, 1);
  let began = 0;
  const second = uploadsIn(path, async () => {
    began += 1;
    return PUBLISHED;
  });
  const found = await second.find(upload.uploadId);
  expect(found).toMatchObject({ state: 'failed', error: expect.stringContaining('was killed') });
  await second.close();
  expect(began).toBe(0);
});

test('loads run one after the other, and a failure of one is no failure of the next', async () => {
  const path = join(folder, `${count++}`);
  const log: string[] = [];
  const given = Promise.withResolvers<void>();
  const uploads = uploadsIn(path, async ({ name }) => {
    log.push(`begin ${name}`);
    await given.promise;
    log.push(`end ${name}`);
    if (name === 'a') throw new Error('the disk is full');
    return PUBLISHED;
  });
  uploads.onFailure = (text) => log.push(text.replace(/^upload \w+: /, ''));
  const a = await uploads.create({ ...GIVEN, name: 'a' });
  const b = await uploads.create({ ...GIVEN, name: 'b' });
  for (const upload of [a, b]) await uploads.complete(upload);
  given.resolve();
  await uploads.waitForEnd(b, HANGS_MS);
  expect(log).toEqual(['begin a', 'end a', 'the disk is full', 'begin b', 'end b']);
  expect([a.state, a.error, b.state]).toEqual([
    'failed',
    'the load failed; the log of the server says why',
    'published',
  ]);
  await uploads.close();
});

test('an upload that cannot be noted as complete can be completed later, or deleted', async () => {
  const path = join(folder, `${count++}`);
  const uploads = uploadsIn(path, async () => PUBLISHED);
  const [kept, removed] = [await uploads.create(GIVEN), await uploads.create(GIVEN)];
  const inTheWay = [kept, removed].map(({ uploadId }) =>
    join(path, 'uploads', uploadId, '.upload.json'),
  );
  for (const blocked of inTheWay) {
    rmSync(blocked);
    mkdirSync(blocked);
  }
  for (const upload of [kept, removed]) {
    await expect(uploads.complete(upload)).rejects.toThrow('EISDIR');
  }
  await uploads.remove(removed);
  rmSync(inTheWay[0] as string, { recursive: true });
  await uploads.complete(kept);
  await uploads.waitForEnd(kept, HANGS_MS);
  expect(kept.state).toBe('published');
  await uploads.close();
});

test('so many loads may wait, and an upload that may not can be completed later', async () => {
  const path = join(folder, `${count++}`);
  const { promise, resolve } = Promise.withResolvers<LoadEnd>();
  const uploads = uploadsIn(path, () => promise);
  const all = await Promise.all(
    Array.from({ length: 17 }, (_, i) => uploads.create({ ...GIVEN, actor: `person:${i}` })),
  );
  const last = all.pop();
  for (const upload of all) await uploads.complete(upload);
  if (!last) throw new Error('no upload');
  await expect(uploads.complete(last)).rejects.toThrow('Too many loads are waiting');
  expect(last.state).toBe('receiving');
  resolve(PUBLISHED);
  await uploads.waitForEnd(all.at(-1) as never, HANGS_MS);
  await uploads.complete(last);
  await uploads.waitForEnd(last, HANGS_MS);
  expect(last.state).toBe('published');
  await uploads.close();
});

test('one of several servers says that another one may have an upload it does not know', async () => {
  const load: LoadUpload = async () => PUBLISHED;
  for (const store of [null, {}]) {
    const uploads = uploadsIn(join(folder, `${count++}`), load, { store });
    const asked = await uploads.find('0'.repeat(32)).catch((error: Error) => error.message);
    expect(asked).toMatch(store ? /the server that began it$/ : /^There is no such upload/);
    await uploads.close();
  }
});

test('a note of due derivations that cannot be read is told when somebody hears it', async () => {
  const path = join(folder, `${count++}`);
  mkdirSync(path);
  writeFileSync(join(path, DUE_DERIVATIONS_FILE), 'no JSON');
  const uploads = uploadsIn(path, async () => PUBLISHED, { derive: async () => {} });
  const failures: string[] = [];
  uploads.onFailure = (text) => failures.push(text);
  expect(failures).toEqual([expect.stringContaining(`${DUE_DERIVATIONS_FILE} cannot be read`)]);
  await uploads.close();
});
