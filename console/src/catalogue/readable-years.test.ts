import { expect, it } from 'vitest';
import { readableYears } from './readable-years';

const rule = (start: string, end: string | null) => ({ start_date: start, end_date: end });

it.each([
  [[rule('1900-01-01', null)], 2021, 2026],
  [[rule('2023-05-01', '2024-02-01')], 2023, 2024],
  [[rule('2022-01-01', '2022-06-30'), rule('2024-01-01', null)], 2022, 2026],
  [[rule('1999-01-01', '2000-01-01')], 2000, 2000],
])('goes by rules and data alike: %j', (rules, firstYear, lastYear) => {
  expect(readableYears(rules, '2021-11-22', '2026-11-20', '2026-11-25')).toEqual({
    firstYear,
    lastYear,
  });
});
