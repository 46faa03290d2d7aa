/** The whole product over an engine: real requests are answered as the oracle says. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Column, Dataset } from '../../src/catalog/dataset.ts';
import { type Row as Cells, rowsOfBatch } from '../../src/engine/conformance/select-rows.ts';
import { planOfAll } from '../../src/engine/plan-of-all.ts';
import type { TestService } from '../harness.ts';
import { anyRequest } from '../oracle/random-request.ts';
import { anyRows } from '../oracle/random-rows.ts';
import { readPages } from '../oracle/read-pages.ts';
import type { Row } from '../oracle/read-rows.ts';
import { selectRows, shownCell } from '../oracle/select-rows.ts';
import { TYPED_TEXT_ID } from '../oracle/typed-definition.ts';
import { sampledRuns } from '../repetitions.ts';
import { expectCameAcross } from '../seed.ts';

export const TEXT_IDS = ['eq_taq', 'eq_daily_ohlc', 'eq_sec_master', 'opt_trades', TYPED_TEXT_ID];
export const ROWS_PER_DATASET = 200;
const REQUESTS_PER_DATASET = sampledRuns(25);
const { signal } = new AbortController();

/** All that is published, as an operator reads it. */
export async function publishedRows(
  { engine: reader, lake }: TestService['services'],
  dataset: Dataset,
) {
  const snapshot = await lake.snapshot(dataset.datasetId);
  if (!snapshot) throw new Error(`${dataset.textId}: nothing published`);
  const rows: Cells[] = [];
  for await (const batch of reader.scan(planOfAll(dataset, snapshot.parts), signal)) {
    rows.push(...rowsOfBatch(batch));
  }
  return rows.map((row) => {
    return Object.fromEntries(dataset.columns.map(({ name }, c) => [name, row[c] ?? null])) as Row;
  });
}

/** Publishes random rows of some datasets. Returns the stored rows by the datasets' text ids. */
export async function publishRandomRows(service: TestService): Promise<Map<string, Row[]>> {
  const rowsOf = new Map<string, Row[]>();
  for (const textId of TEXT_IDS) {
    const dataset = service.dataset(textId);
    const [rows = []] = fc.sample(anyRows(dataset, ROWS_PER_DATASET), 1);
    await service.publish(textId, rows);
    rowsOf.set(textId, await publishedRows(service.services, dataset));
  }
  return rowsOf;
}

/** `opened` is called in the tests. */
export function describeOracleRequests(
  opened: () => { readonly service: TestService; readonly rowsOf: ReadonlyMap<string, Row[]> },
  textIds: readonly string[] = TEXT_IDS,
): void {
  it.each(textIds)("answers requests for %s with exactly the oracle's rows", async (textId) => {
    const { service, rowsOf } = opened();
    const dataset = service.dataset(textId);
    const rows = rowsOf.get(textId) as Row[];
    expect(rows).toHaveLength(ROWS_PER_DATASET);
    let foundCount = 0;
    await fc.assert(
      fc.asyncProperty(anyRequest(dataset, rows), async (request) => {
        const names = request.columns ?? dataset.columns.map(({ name }) => name);
        const columns = names.map((name) => dataset.columnByName.get(name) as Column);
        const expected = selectRows(rows, request).map((row) =>
          columns.map((column) => shownCell(row[column.name] ?? null, column, dataset)),
        );
        foundCount += expected.length;
        expect(await readPages(service, request.url, request.format, columns)).toEqual(expected);
      }),
      { numRuns: REQUESTS_PER_DATASET },
    );
    expectCameAcross({ [`rows of ${textId}`]: foundCount });
  });
}
