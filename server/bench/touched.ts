/** Which benchmarks a change could make slower, of those that give a verdict within two minutes. */
import { execFileSync } from 'node:child_process';

const TEXT_PAGES = ['ticks-json', 'ticks-csv', 'ticks-gzip', 'bars-json'];
const READING = [...TEXT_PAGES, 'ticks-arrow', 'rare-ticker', 'walk-filtered', 'walk-sorted'];
const LOADING = ['load-csv'];

/** By the folder; the first one that fits decides. */
const TOUCHED: Readonly<Record<string, readonly string[]>> = {
  'server/src/formats/arrow/': ['ticks-arrow'],
  'server/src/formats/': TEXT_PAGES,
  'server/src/engine/duckdb/reading/': [...READING, 'daily-history', 'aggregates'],
  'server/src/engine/duckdb/loading/': LOADING,
  'server/src/engine/': [...READING, ...LOADING],
  'server/src/ingest/': LOADING,
  'server/src/lake/': LOADING,
  'server/src/recipes/': LOADING,
  'server/src/intervals/': ['intervals'],
  'server/src/adjustments/': ['intervals'],
  'server/src/plan/': ['planning', 'daily-history'],
  'server/src/catalog/': ['planning'],
  'server/src/store/': ['planning', 'ticks-json'],
  'server/src/': ['ticks-json', 'rare-ticker', 'planning'],
};

export function touchedBy(files: readonly string[]): readonly string[] {
  const folders = Object.keys(TOUCHED);
  const names = files.flatMap((file) => {
    const folder = folders.find((each) => file.startsWith(each));
    return folder ? (TOUCHED[folder] ?? []) : [];
  });
  return [...new Set(names)];
}

/** Files that differ from those of a commit, by their paths in the repository. */
export function changedFiles(commit: string): readonly string[] {
  const git = (...words: string[]) => execFileSync('git', words, { encoding: 'utf8' });
  const base = git('merge-base', 'HEAD', commit).trim();
  return git('diff', '--name-only', base).trim().split('\n');
}
