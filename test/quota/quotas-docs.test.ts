import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ENDPOINTS } from '../../src/routes/endpoints.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/quotas.md'), 'utf8');

it("quotas.md lists exactly the endpoints that the minute's limits leave alone", () => {
  const [, sentence = ''] =
    /Some endpoints are exempt from the minute's limits:.*?These are (.*?)\.\n/s.exec(PAGE) ?? [];
  const listed = [...sentence.matchAll(/`([^`]+)`/g)].map(([, path]) => path);
  const exempt = ENDPOINTS.filter((endpoint) => !endpoint.isPublic && endpoint.isMinuteExempt).map(
    ({ path }) => path.replace(':dataset_id', '{id}'),
  );
  expect(listed.toSorted()).toEqual(['/status', ...exempt].toSorted());
});
