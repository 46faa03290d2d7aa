import { expect, it } from 'vitest';
import { ENDPOINTS } from '../../src/routes/endpoints.ts';
import { QUANTITIES } from '../../src/store/quantities.ts';
import { docsText } from '../docs-table.ts';

const PAGE = docsText('quotas.md');

it("quotas.md lists exactly the endpoints that the minute's limits leave alone", () => {
  const [, sentence = ''] =
    /Some endpoints are exempt from the minute's limits:.*?These are\s(.*?)\.\n/s.exec(PAGE) ?? [];
  const listed = [...sentence.matchAll(/`([^`]+)`/g)].map(([, path]) => path);
  const exempt = ENDPOINTS.filter((endpoint) => !endpoint.isPublic && endpoint.isMinuteExempt).map(
    ({ path }) => `/v1${path.replace(':dataset_id', '{id}')}`,
  );
  expect(listed.toSorted()).toEqual(['/v1/status', ...exempt].toSorted());
});

it('quotas.md says what is counted of every quantity, by its name, and of no other', () => {
  const described = [...PAGE.matchAll(/^- \*\*(.+?)\*\*:/gm)].map(([, name]) => name);
  const names = Object.values(QUANTITIES).map(({ field }) => field.replace('_', ' '));
  expect(described).toEqual(names);
});
