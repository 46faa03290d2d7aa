/** Findings of a check of the lake. */
import {
  appendFileSync,
  existsSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fixedClock } from '../../src/base/clock.ts';
import { batchOfRows } from '../../src/engine/columns.ts';
import type { PartRowsReader } from '../../src/engine/engine.ts';
import { INSTALLED_ENGINE, tryLockFile } from '../../src/installed.ts';
import type { Lake } from '../../src/lake/lake.ts';
import {
  type LakeProblem,
  START,
  type VerifyPosition,
  verifyParts,
} from '../../src/lake/verify.ts';
import { openHomeIndex, openLake } from '../../src/open-home.ts';
import type { IndexedPart } from '../../src/store/lake-index.ts';
import { newFolder, runCommand } from '../command-line/run-command.ts';
import { partFiles } from '../part-files.ts';
import { publishBatches } from '../publish-batches.ts';
import { sampleDataset, typedDataset } from './sample-dataset.ts';
import { PARTITIONS_PER_VERSION, rowsOfVersion } from './sample-version.ts';

const dataset = sampleDataset('day');
const clock = fixedClock('2026-11-20T20:00:00Z');
let folder: ReturnType<typeof newFolder>;
let home: string;
let lake: Lake;
let files: string[];

async function publish(version: number): Promise<void> {
  async function* batches() {
    yield batchOfRows(dataset.columns, rowsOfVersion(version));
  }
  await publishBatches(lake, { dataset, mode: 'replace-all', batches: batches() });
  files = await partFiles(lake, dataset.datasetId);
}

beforeEach(async () => {
  folder = newFolder();
  home = join(folder.path, 'home');
  lake = await openLake({ home }, clock);
  await publish(3);
});
afterEach(async () => {
  await lake.close();
  folder.remove();
});

const verify = (...words: string[]) => runCommand(home, 'lake', 'verify', ...words);

function alter(file: string): void {
  const bytes = readFileSync(file);
  bytes[10] = (bytes[10] as number) ^ 1;
  writeFileSync(file, bytes);
}

const DAMAGES: readonly [string, (file: string) => void, RegExp][] = [
  ['gone', rmSync, /is missing$/],
  ['cut off', (file) => truncateSync(file, 50), /is cut off$/],
  ['altered in place', alter, /is altered$/],
  ['longer than it was', (file) => appendFileSync(file, 'x'), /is altered$/],
];

describe('a check of the lake', () => {
  it('finds nothing in one that is as it was published', async () => {
    const { exitCode, stdout, stderr } = await verify();
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^4 parts of [\d,]+ bytes: all as they were published\.\n$/);
    expect(JSON.parse((await verify('--json')).stdout)).toMatchObject({
      part_count: PARTITIONS_PER_VERSION,
      problems: [],
    });
  });

  it.each(DAMAGES)('names a part that is %s', async (_, damage, told) => {
    damage(files[1] as string);
    const { exitCode, stdout, stderr } = await verify();
    expect([exitCode, stdout]).toEqual([2, '']);
    const lines = stderr.trimEnd().split('\n');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(told);
    expect(lines[0]).toMatch(/^US9001 2026-11-\d\d: /);
    const { problems } = JSON.parse((await verify('--json')).stdout);
    expect(problems).toMatchObject([{ kind: 'damaged', dataset_id: 'US9001', is_current: true }]);
  });

  it('names what is stored that the index does not know, but nothing that a publisher writes', async () => {
    writeFileSync(join(lake.directory, dataset.textId, 'stray.parquet'), 'x');
    await lake.publication({ datasets: [dataset], command: 'test' }, async (publication) => {
      const writer = await lake.openWriter(dataset);
      await writer.append(batchOfRows(dataset.columns, rowsOfVersion(4)));
      await publication.write({ dataset, mode: 'replace' }, writer);
      const { exitCode, stderr } = await verify();
      expect([exitCode, stderr]).toEqual([
        2,
        `left over: no version needs ${dataset.textId}/stray.parquet\n`,
      ]);
      await writer.close();
    });
    expect((await verify()).stderr).toContain('stray.parquet');
  });

  it('goes on where an interrupted one has stopped, with what that had found', async () => {
    alter(files[0] as string);
    const [index, storage] = [
      openHomeIndex(home),
      INSTALLED_ENGINE.openStorage({ home }, tryLockFile),
    ];
    const stop = new AbortController();
    const positions: VerifyPosition[] = [];
    const problems: unknown[] = [];
    const options = {
      ...{ index, storage, rowsReader: null, signal: stop.signal },
      onProblem: (problem: unknown) => problems.push(problem),
      onProgress: (position: VerifyPosition) => {
        positions.push(position);
        if (positions.length === 2) stop.abort(new Error('enough'));
      },
    };
    await expect(verifyParts(options, START)).rejects.toThrow('enough');
    expect([positions.length, problems.length]).toEqual([2, 1]);
    writeFileSync(
      join(home, 'lake-verify.json'),
      JSON.stringify({ position: positions.at(-1), problems }),
    );
    // Read no more, so that nobody notices.
    alter(files[1] as string);
    alter(files[3] as string);
    const { exitCode, stdout } = await verify('--resume', '--json');
    const report = JSON.parse(stdout);
    expect([exitCode, report.part_count, report.problems.length]).toEqual([2, 4, 2]);
    expect(existsSync(join(home, 'lake-verify.json'))).toBe(false);
    expect(JSON.parse((await verify('--json')).stdout).problems).toHaveLength(3);
    await index.close();
  });

  it('is refused where there is no lake', async () => {
    const { exitCode, stderr } = await runCommand(join(folder.path, 'none'), 'lake', 'verify');
    expect([exitCode, stderr]).toEqual([
      2,
      `ticklake: there is no lake at ${join(folder.path, 'none', 'lake.db')}; name another home with --home\n`,
    ]);
  });
});

describe('a check of the rows', () => {
  it('reads every row with --rows, whatever the definition is now', async () => {
    const typed = { ...typedDataset('day'), alsoStoredBy: 'Ticker', datasetId: 'US9002' };
    const row = ['2026-11-18', 'A', 1n, 0.1, 2n, ['é', ''], true, [1n], [1e16], 12_345n] as const;
    async function* batches() {
      yield batchOfRows(typed.columns, [[...row], [...row.slice(0, 9), null]]);
    }
    await publishBatches(lake, { dataset: typed, mode: 'replace-all', batches: batches() });
    const { exitCode, stdout } = await verify('--rows');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^5 parts of [\d,]+ bytes: all as they were published, row by row\.\n$/);
  });

  it('names a part with other rows than were published with --rows alone', async () => {
    const index = new DatabaseSync(join(home, 'lake.db'));
    const [{ key, location, digest, rows } = {}] = index
      .prepare(
        'SELECT key, location, content_digest AS digest, row_count AS rows FROM part LIMIT 1',
      )
      .all();
    const published = `${digest}`.replace(/^./, (digit) => (digit === '0' ? '1' : '0'));
    index
      .prepare('UPDATE part SET content_digest = ? WHERE location = ?')
      .run(published, location as string);
    index.close();
    expect((await verify()).exitCode).toBe(0);
    const { exitCode, stderr } = await verify('--rows');
    expect([exitCode, stderr]).toEqual([
      2,
      `US9001 ${key}: the rows of the part at ${location} are not those that were published: ` +
        `${rows} with the digest ${digest}, where ${rows} with the digest ${published} were published\n`,
    ]);
  });

  it('tells rows by identifier that are not those of the part', async () => {
    const index = openHomeIndex(home);
    const storage = INSTALLED_ENGINE.openStorage({ home }, tryLockFile);
    const problems: LakeProblem[] = [];
    const rowsReader: PartRowsReader = {
      read: async ({ location }) => {
        const part = (await index.versions.version(dataset.datasetId))?.parts.find(
          (each) => each.location === location,
        );
        const rows = part as IndexedPart;
        return { rows, identifierOrder: { ...rows, rowCount: rows.rowCount - 1 } };
      },
      close: async () => {},
    };
    await verifyParts(
      {
        ...{ index, storage, rowsReader, signal: new AbortController().signal },
        onProblem: (problem) => problems.push(problem),
        onProgress: () => {},
      },
      START,
    );
    expect(problems).toHaveLength(PARTITIONS_PER_VERSION);
    expect(problems[0]).toMatchObject({
      message: expect.stringMatching(/^the rows by identifier of the part at .* are not those/),
    });
    await index.close();
  });

  it('resumes a check of rows as one of rows only', async () => {
    const note = { rows: true, position: START, problems: [] };
    writeFileSync(join(home, 'lake-verify.json'), JSON.stringify(note));
    const { exitCode, stderr } = await verify('--resume');
    expect([exitCode, stderr]).toEqual([
      2,
      'ticklake: the interrupted check reads rows: use --resume with --rows, or leave out --resume to start over\n',
    ]);
    expect((await verify('--resume', '--rows')).exitCode).toBe(0);
    writeFileSync(join(home, 'lake-verify.json'), JSON.stringify({ ...note, rows: false }));
    expect((await verify('--resume', '--rows')).stderr).toContain('does not read rows');
  });
});
