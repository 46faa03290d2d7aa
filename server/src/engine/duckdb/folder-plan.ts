/** A plan whose parts are files: their locations are paths below the root of all of them. */
import type { Part } from '../part.ts';
import type { QueryPlan } from '../query-plan.ts';
import { identifierFile, identifierFileNumbers, identifierFolder } from './identifier-files.ts';
import type { HeldParts } from './objects/part-cache.ts';

export interface FolderPlan extends QueryPlan {
  /** That of `PartFiles`. */
  readonly root: string;
  /** Parts that the engine reads from another root. */
  readonly cached?: Pick<HeldParts, 'root' | 'locations'>;
}

/** The name of a part's file. */
export function fileOf(
  { root, cached }: Pick<FolderPlan, 'root' | 'cached'>,
  { location }: Part,
): string {
  return `${cached?.locations.has(location) ? cached.root : root}/${location}`;
}

interface ReadFile {
  /** Its name. */
  readonly file: string;
  /** The number of its part among those of the plan. */
  readonly part: number;
}

/** The files that a plan reads, in the order of its parts. */
export function readFilesOf(plan: FolderPlan): ReadFile[] {
  return plan.parts.flatMap((each, part) => {
    const file = fileOf(plan, each);
    if (!plan.identifierRows) return { file, part };
    const folder = identifierFolder(file);
    const numbers = identifierFileNumbers(plan.identifierRows[part] ?? []);
    return numbers.map((number) => ({ file: identifierFile(folder, number), part }));
  });
}

export function filesOf(plan: FolderPlan): string[] {
  return readFilesOf(plan).map(({ file }) => file);
}

/** The files of the earlier state that a plan compares with. */
export function comparedFilesOf(plan: FolderPlan): string[] {
  return (plan.comparedParts ?? []).map((part) => fileOf(plan, part));
}
