/** What a dry run of a load prints. */

import { counted } from '../base/counted.ts';
import type { PreviewReport } from '../ingest/preview-files.ts';
import type { PartitionComparison } from '../lake/losses.ts';
import { withAdvice } from './allowance-text.ts';
import { checkLines } from './check-lines.ts';
import { EXIT } from './exit-codes.ts';
import { badValueLines } from './load-options.ts';

/** Further ones are counted. */
const PARTITIONS_SHOWN = 20;

function lostText({ lostIdentifierCount, lostIdentifiers }: PartitionComparison): string {
  if (lostIdentifierCount === 0) return '';
  const others = lostIdentifierCount > lostIdentifiers.length ? ', …' : '';
  const shown = `${lostIdentifiers.join(', ')}${others}`;
  return `; ${counted(lostIdentifierCount, 'identifier')} would vanish: ${shown}`;
}

function partitionLine(partition: PartitionComparison): string {
  const { key, rowCountBefore, rowCountAfter } = partition;
  const before = rowCountBefore.toLocaleString('en-US');
  const was = rowCountBefore === 0 ? ', new' : ` in place of ${before}`;
  return `  ${key}: ${counted(rowCountAfter, 'row')}${was}${lostText(partition)}`;
}

function endLine({ refusal, allowedBy, rowCount }: PreviewReport): string {
  if (refusal !== null) return `this would be refused: ${withAdvice(refusal, allowedBy)}`;
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

export function previewExitCode({ refusal, rowCount }: PreviewReport) {
  if (refusal !== null) return EXIT.refused;
  return rowCount === 0 ? EXIT.noRows : EXIT.done;
}
