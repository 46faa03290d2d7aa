/**
 * Previews by random rules of random rows: the first permitted rows of the last week that the
 * account may read, by a plain program.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publishedRows } from '../engine/service-suite.ts';
import { openTestService, type TestService } from '../harness.ts';
import { anyRows, DATES } from '../oracle/random-rows.ts';
import { jsonPage } from '../oracle/read-pages.ts';
import { type Row, readRows } from '../oracle/read-rows.ts';
import { shownCell } from '../oracle/select-rows.ts';
import { partFiles } from '../part-files.ts';
import { publishRows } from '../past/republished-dataset.ts';
import { repetitions } from '../repetitions.ts';
import { expectCameAcross } from '../seed.ts';
import { writing } from '../writing.ts';
import { isPermitted, type Rule } from './permitted-rows.ts';
import { makeRowsAbout, namesOf, SUBJECTS, type Subject } from './subjects.ts';

const ROW_COUNT = 60;
const PREVIEW_ROWS = 10;
const RULE_SETS = repetitions('TICKLAKE_PREVIEWS', 3);
const DAY_MS = 86_400_000;
/** The test service's day. */
const TODAY = '2025-06-20';

let service: TestService;
const rowsOf = new Map<string, Row[]>();

async function storedRows(subject: Subject): Promise<Row[]> {
  const dataset = service.dataset(subject.textId);
  const { config, lake } = service.services;
  if (config.lakeAddress !== null) return await publishedRows(service.services, dataset);
  return await readRows(dataset, await partFiles(lake, dataset.datasetId));
}

beforeAll(async () => {
  service = await openTestService();
  for (const subject of SUBJECTS) {
    const dataset = service.dataset(subject.textId);
    const [made = []] = fc.sample(anyRows(dataset, ROW_COUNT), 1);
    await publishRows(service, dataset, makeRowsAbout(subject, dataset, made), 'replace-all');
    rowsOf.set(subject.textId, await storedRows(subject));
  }
});
afterAll(() => service.close());

function anyRule(subject: Subject): fc.Arbitrary<Rule> {
  const edges = fc.uniqueArray(fc.constantFrom('1900-01-01', TODAY, '2030-01-01', ...DATES), {
    minLength: 2,
    maxLength: 2,
  });
  const universe = fc.oneof(
    fc.constant([]),
    fc.uniqueArray(fc.constantFrom(...namesOf(subject)), { minLength: 1, maxLength: 3 }),
  );
  return fc.tuple(edges, universe, fc.boolean()).map(([ends, names, isOpen]) => {
    const [startDate = '', endDate = ''] = ends.sort();
    return { startDate, endDate: isOpen ? null : endDate, universe: names };
  });
}

/** In natural order, as they are stored. */
function previewOf(subject: Subject, rule: Rule): Row[] {
  const rows = rowsOf.get(subject.textId) as Row[];
  const permitted = rows.filter((row) => isPermitted(subject, [rule], row, TODAY));
  const { dateColumn } = subject;
  if (dateColumn === null) return permitted.slice(0, PREVIEW_ROWS);
  const dates = rows.flatMap((row) => (row[dateColumn] === null ? [] : [String(row[dateColumn])]));
  const lastDate = dates.sort().at(-1);
  if (lastDate === undefined) return permitted.slice(0, PREVIEW_ROWS);
  // The remaining rows have no date.
  if (rule.startDate > lastDate) return permitted.slice(0, PREVIEW_ROWS);
  const end = [rule.endDate ?? lastDate, lastDate].sort()[0] as string;
  const start = new Date(Date.parse(end) - 6 * DAY_MS).toISOString().slice(0, 10);
  const isOfWeek = (row: Row) => {
    const date = String(row[dateColumn]);
    return row[dateColumn] !== null && date >= start && date <= end;
  };
  return permitted.filter(isOfWeek).slice(0, PREVIEW_ROWS);
}

async function setRule({ textId }: Subject, rule: Rule): Promise<void> {
  const { store } = service.services;
  const { accountId } = service;
  const { datasetId } = service.dataset(textId);
  for (const { ruleId } of await store.rules.listOfDataset(accountId, datasetId)) {
    await writing(store).rules.delete(ruleId);
  }
  await writing(store).rules.add({ accountId, datasetId, ...rule });
}

let shownCount = 0;

describe.each(SUBJECTS)('$textId', (subject) => {
  it('previews exactly the first permitted rows of the last week', async () => {
    const dataset = service.dataset(subject.textId);
    await fc.assert(
      fc.asyncProperty(anyRule(subject), async (rule) => {
        await setRule(subject, rule);
        const answer = await service.get(`/v1/meta/datasets/${dataset.datasetId}/preview`);
        expect(answer.statusCode, answer.body).toBe(200);
        const expected = previewOf(subject, rule).map((row) =>
          dataset.columns.map((column) => shownCell(row[column.name] ?? null, column, dataset)),
        );
        expect(jsonPage(answer.body, dataset.columns).rows).toEqual(expected);
        shownCount += expected.length;
      }),
      { numRuns: RULE_SETS },
    );
  });
});

it('has come upon rows', () => {
  expectCameAcross({ rows: shownCount });
});

describe('a preview', () => {
  it('is refused without a rule, takes no parameters, links to no page and counts as rows', async () => {
    const { datasetId } = service.dataset('eq_daily_ohlc');
    const url = `/v1/meta/datasets/${datasetId}/preview`;
    await setRule(SUBJECTS.find(({ textId }) => textId === 'eq_daily_ohlc') as Subject, {
      ...{ startDate: '1900-01-01', endDate: null, universe: [] },
    });
    const before = (await service.services.usage.counters.read(service.accountId)).month;
    const answer = await service.get(url);
    expect(answer.headers.link).toBeUndefined();
    const after = (await service.services.usage.counters.read(service.accountId)).month;
    expect(after.requests).toBe(before.requests + 1);
    expect((await service.get(`${url}?limit=100`)).statusCode).toBe(422);
    const { key } = await service.addAccount('nothing');
    const refused = await service.app.inject({ url, headers: { 'x-api-key': key } });
    expect(refused.statusCode).toBe(403);
  });
});
