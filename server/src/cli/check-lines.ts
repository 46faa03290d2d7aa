/** What the commands that load data print of the checks that rows break. */

import { counted, printableLine } from '../base/printable.ts';
import { type CheckFinding, foundRowText } from '../lake/check-findings.ts';

const WHAT = { refuse: 'check failed', warn: 'warning' } as const;

function linesOf({ severity, expected, rowCount, rows }: CheckFinding): string[] {
  const head = `${WHAT[severity]}: ${expected}, which ${counted(rowCount, 'row')} ${
    rowCount === 1 ? 'breaks' : 'break'
  }:`;
  return [head, ...rows.map((row) => `  ${printableLine(foundRowText(row))}`)];
}

/** A line for each check and for each row that is shown of it. */
export function checkLines(findings: readonly CheckFinding[]): string[] {
  return findings.flatMap(linesOf);
}

/** Why nothing was published, and what may be done about it. */
export const CHECKS_FAILED =
  'nothing was published; correct the rows, or the checks in the definition of the dataset';
