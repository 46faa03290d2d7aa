/** A dataset as files are loaded into it, which say less than its rows do. */
import type { DatasetCheck } from '../catalog/checks.ts';
import type { Dataset } from '../catalog/dataset.ts';
import { defaultMode } from '../lake/publication-options.ts';
import type { TimeZone } from '../time/time-zone.ts';

/** Times that were lost become days around 1970; no vendor of the dataset has rows of them. */
function startCheck(dataset: Dataset): DatasetCheck[] {
  const { startDate: min, dateColumn: column } = dataset;
  if (min === null || column === null || defaultMode(dataset) !== 'replace-dates') return [];
  const name = `${column} >= ${min}`;
  return [{ name, severity: 'refuse', rule: { kind: 'range', column, min, max: null } }];
}

/** `timeZone`: the clock of times without an offset; null: as the definition says. */
export function asLoaded(dataset: Dataset, timeZone: TimeZone | null): Dataset {
  const checks = [...dataset.checks, ...startCheck(dataset)];
  return { ...dataset, fileTimeZone: timeZone ?? dataset.fileTimeZone, checks };
}
