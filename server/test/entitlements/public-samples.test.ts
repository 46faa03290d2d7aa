/**
 * Public samples of random rows, read without a key: the first rows of the first day, by a plain
 * program, and nothing else, whatever is published later.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publishedRows } from '../engine/service-suite.ts';
import { openTestService, type TestService } from '../harness.ts';
import { anyRows } from '../oracle/random-rows.ts';
import { jsonPage } from '../oracle/read-pages.ts';
import { type Row, readRows } from '../oracle/read-rows.ts';
import { shownCell } from '../oracle/select-rows.ts';
import { partFiles } from '../part-files.ts';
import { publishRows } from '../past/republished-dataset.ts';
import { repetitions } from '../repetitions.ts';
import { makeRowsAbout, SUBJECTS, type Subject } from './subjects.ts';

const ROW_COUNT = 40;
const SAMPLE_ROWS = 5;
/** Publications of each dataset. */
const RUNS = repetitions('TICKLAKE_PUBLIC_SAMPLES', 2);

let service: TestService;
beforeAll(async () => {
  service = await openTestService({
    site: { public_catalogue: true, public_samples: SUBJECTS.map(({ textId }) => textId) },
  });
});
afterAll(() => service.close());

async function storedRows(subject: Subject): Promise<Row[]> {
  const dataset = service.dataset(subject.textId);
  const { config, lake } = service.services;
  if (config.lakeAddress !== null) return await publishedRows(service.services, dataset);
  return await readRows(dataset, await partFiles(lake, dataset.datasetId));
}

/** In natural order, as they are stored. */
function firstOfFirstDay({ dateColumn }: Subject, rows: readonly Row[]): Row[] {
  const dateOf = (row: Row) => (dateColumn === null ? null : (row[dateColumn] ?? null));
  const dates = rows.map(dateOf).filter((date) => date !== null);
  const first = dates.map(String).sort()[0] ?? null;
  return rows.filter((row) => String(dateOf(row)) === String(first)).slice(0, SAMPLE_ROWS);
}

describe.each(SUBJECTS)('$textId', (subject) => {
  it('shows anybody the first rows of its first day, and no other', async () => {
    const dataset = service.dataset(subject.textId);
    for (const [run, each] of fc.sample(fc.nat(), RUNS).entries()) {
      const [made = []] = fc.sample(anyRows(dataset, ROW_COUNT), { numRuns: 1, seed: each });
      // Also fewer of its first day than a sample has.
      const rows = makeRowsAbout(subject, dataset, made).slice(run % 2 === 0 ? 0 : 5);
      await publishRows(service, dataset, rows, 'replace-all');
      const expected = firstOfFirstDay(subject, await storedRows(subject)).map((row) =>
        dataset.columns.map((column) => shownCell(row[column.name] ?? null, column, dataset)),
      );
      const answer = await service.app.inject({
        url: `/v1/public/datasets/${dataset.datasetId}/sample`,
      });
      expect(answer.statusCode, answer.body).toBe(200);
      expect(jsonPage(answer.body, dataset.columns).rows, `seed ${each}`).toEqual(expected);
    }
  });
});
