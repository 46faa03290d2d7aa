/** What a dry run of a load prints. */

import { counted } from '../base/printable.ts';
import type { PreviewReport } from '../ingest/preview-files.ts';
import { type PartitionComparison, shownOf } from '../lake/losses.ts';
import { withAdvice } from './allowance-text.ts';
import { checkLines } from './check-lines.ts';
import { EXIT } from './exit-codes.ts';
import { badValueLines } from './load-options.ts';

/** Further ones are counted. */
const PARTITIONS_SHOWN = 20;

function vanishText(what: string, count: number, shown: readonly string[]): string {
  return count === 0 ? '' : `; ${counted(count, what)} would vanish: ${shownOf(shown, count)}`;
}

function lostText(lost: PartitionComparison): string {
  const { lostDateCount, lostDates, lostIdentifierCount, lostIdentifiers } = lost;
  const dates = vanishText('date', lostDateCount, lostDates);
  return `${dates}${vanishText('identifier', lostIdentifierCount, lostIdentifiers)}`;
}

function partitionLine(partition: PartitionComparison): string {
  const { key, rowCountBefore, rowCountAfter } = partition;
  const before = rowCountBefore.toLocaleString('en-US');
  const was = rowCountBefore === 0 ? ', new' : ` in place of ${before}`;
  return `  ${key}: ${counted(rowCountAfter, 'row')}${was}${lostText(partition)}`;
}

function endLine({ refusal, allowedBy, rowCount, isUnchanged }: PreviewReport): string {
  if (refusal !== null) return `this would be refused: ${withAdvice(refusal, allowedBy)}`;
  if (isUnchanged) return 'nothing would change: the dataset has these rows already';
  return rowCount === 0 ? 'there is nothing to publish' : 'this would be published';
}

export function previewText(report: PreviewReport): string {
  const { datasetId, textId, rowCount, replacedRowCount, partitions, badRowCount } = report;
  const replaced = replacedRowCount > 0 ? `, in place of ${counted(replacedRowCount, 'row')}` : '';
  const rows = `${counted(rowCount, 'row')} in ${counted(partitions.length, 'partition')}`;
  const restCount = partitions.length - PARTITIONS_SHOWN;
  const lines = [
    ...(badRowCount > 0
      ? [`${counted(badRowCount, 'bad row')}:`, ...badValueLines(report.badValues)]
      : []),
    ...checkLines(report.checks),
    `${datasetId} ${textId}: ${rows}${replaced}`,
    ...partitions.slice(0, PARTITIONS_SHOWN).map(partitionLine),
    ...(restCount > 0 ? [`  and ${counted(restCount, 'other partition')}`] : []),
    endLine(report),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

export function previewExitCode({ refusal, rowCount, isUnchanged }: PreviewReport) {
  if (refusal !== null) return EXIT.refused;
  return rowCount === 0 || isUnchanged ? EXIT.nothingToDo : EXIT.done;
}
