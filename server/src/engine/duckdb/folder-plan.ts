/** A plan whose parts are files: their locations are paths within the folder of the engine. */
import type { Part } from '../part.ts';
import type { QueryPlan } from '../query-plan.ts';

export interface FolderPlan extends QueryPlan {
  /** Absolute path. */
  readonly directory: string;
}

/** Absolute path of a part's file. */
export function fileOf({ directory }: Pick<FolderPlan, 'directory'>, { location }: Part): string {
  return `${directory}/${location}`;
}

/** The files of all parts of a plan. */
export function filesOf(plan: FolderPlan): string[] {
  return plan.parts.map((part) => fileOf(plan, part));
}

/** The files of the earlier state that a plan compares with. */
export function comparedFilesOf(plan: FolderPlan): string[] {
  return (plan.comparedParts ?? []).map((part) => fileOf(plan, part));
}
