/** Headers that say which versions the rows of an answer are of. */
import type { QueryPlan } from '../engine/query-plan.ts';

export function versionHeaders({ version, restatement }: QueryPlan): Record<string, string> {
  return {
    'X-Dataset-Version': `${version ?? 0}`,
    ...(restatement && { 'X-Factors-Version': `${restatement.factors.version ?? 0}` }),
  };
}
