/** Moves what was loaded out of the way, with its report beside it. */
import { existsSync, renameSync } from 'node:fs';
import { extname, join } from 'node:path';
import { makeFolder } from '../../base/make-folder.ts';
import { arrivalMark } from './arrivals.ts';
import { type Ended, type LoadNote, writeWhole } from './note.ts';

/** `monday.csv`, or `monday-2.csv` where one of that name was loaded before. */
function freeName(folder: string, name: string): string {
  const end = extname(name);
  const stem = name.slice(0, name.length - end.length);
  for (let count = 1; ; count++) {
    const tried = count === 1 ? name : `${stem}-${count}${end}`;
    const taken = [tried, `${tried}.report.json`].some((each) => existsSync(join(folder, each)));
    if (!taken) return tried;
  }
}

/**
 * Writes the report and moves the file, or the folder, beside it. What has changed since it was loaded
 * stays: it is another arrival. Returns the place of the report.
 */
export function putAway(
  folder: string,
  { name, mark }: LoadNote,
  { result, reportText }: Ended,
): string {
  const results = join(folder, result);
  makeFolder(results);
  const free = freeName(results, name);
  const report = join(results, `${free}.report.json`);
  writeWhole(report, reportText);
  if (arrivalMark(join(folder, name)) === mark) renameSync(join(folder, name), join(results, free));
  return report;
}
