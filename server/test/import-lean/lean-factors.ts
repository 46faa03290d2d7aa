/** LEAN's cumulative factors, as its files have them. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export interface LeanFactor {
  /** The last day that it applies to. */
  readonly lastDate: string;
  readonly price: number;
  readonly split: number;
}

/** Factors of each company, by file name. */
export function leanFactors(root: string): ReadonlyMap<string, readonly LeanFactor[]> {
  const folder = path.join(root, 'equity/usa/factor_files');
  const files = readdirSync(folder).filter((name) => name.endsWith('.csv'));
  return new Map(
    files.map((name) => {
      const lines = readFileSync(path.join(folder, name), 'utf8').trim().split('\n');
      const factors = lines.map((line) => {
        const [day = '', price, split] = line.split(',');
        const lastDate = `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6, 8)}`;
        return { lastDate, price: Number(price), split: Number(split) };
      });
      return [name, factors];
    }),
  );
}
