/** The mutants of a folder: its files with one fault each; all of them, or a sample. */
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { applied, type Mutation, mutationsOf } from './mutations.ts';

/** A file with one fault in it. */
export interface Mutant {
  readonly file: string;
  /** The line that the fault is in, and its number as of now. */
  readonly line: string;
  readonly lineNumber: number;
  /** `old → new`, with a number where the same is possible again in the same line. */
  readonly change: string;
  /** The file without the fault, and with it. */
  readonly source: string;
  readonly text: string;
}

/** The text that identifies a mutant, wherever its line stands. */
export const idOf = ({ file, line, change }: Pick<Mutant, 'file' | 'line' | 'change'>): string =>
  `${file}\n${line}\n${change}`;

const inOneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

function mutantsOfFile(root: string, file: string): Mutant[] {
  const source = readFileSync(join(root, file), 'utf8');
  const seen = new Map<string, number>();
  return mutationsOf(source).map((mutation: Mutation) => {
    const { start, end, replacement } = mutation;
    const lineStart = source.lastIndexOf('\n', start - 1) + 1;
    const lineEnd = source.indexOf('\n', start);
    const line = source.slice(lineStart, lineEnd === -1 ? undefined : lineEnd).trim();
    const plain = `${inOneLine(source.slice(start, end))} → ${inOneLine(replacement) || 'nothing'}`;
    const key = `${line}\n${plain}`;
    const times = (seen.get(key) ?? 0) + 1;
    seen.set(key, times);
    return {
      file,
      line,
      lineNumber: source.slice(0, start).split('\n').length,
      change: times === 1 ? plain : `${plain} (${times})`,
      source,
      text: applied(source, mutation),
    };
  });
}

export function mutantsOfFolder(root: string, folder: string): Mutant[] {
  return globSync(`${folder}/**/*.ts`, { cwd: root })
    .filter((file) => !file.endsWith('.test.ts'))
    .toSorted()
    .flatMap((file) => mutantsOfFile(root, file));
}

function rankOf(mutant: Mutant, seed: string): string {
  return createHash('sha256')
    .update(`${seed}\n${idOf(mutant)}`)
    .digest('hex');
}

/**
 * This many of them, or all if there are fewer. What a mutant says decides whether it is
 * chosen, not where it stands: a change of the code elsewhere hardly changes the sample.
 */
export function sampleOf(mutants: readonly Mutant[], count: number, seed: string): Mutant[] {
  const ranked = mutants.map((mutant) => ({ mutant, rank: rankOf(mutant, seed) }));
  const chosen = ranked.toSorted((a, b) => (a.rank < b.rank ? -1 : 1)).slice(0, count);
  const isChosen = new Set(chosen.map(({ mutant }) => mutant));
  return mutants.filter((mutant) => isChosen.has(mutant));
}
