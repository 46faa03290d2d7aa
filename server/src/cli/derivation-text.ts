/** What `ticklake derive` prints. */

import { counted, printableLine } from '../base/printable.ts';
import type { CheckedDerivation } from '../derive/check-derived.ts';
import type { DerivationReport } from '../derive/derive.ts';
import type { DerivedDataset } from '../derive/derive-dataset.ts';
import { CHECKS_FAILED, checkLines } from './check-lines.ts';

export const NOTHING_DUE = 'nothing was due';
const WARNINGS_SHOWN = 5;
const PARTS_SHOWN = 3;

function warningLines(warnings: readonly string[]): string[] {
  const more = warnings.length - WARNINGS_SHOWN;
  return [
    ...warnings.slice(0, WARNINGS_SHOWN).map((text) => `  warning: ${printableLine(text)}`),
    ...(more > 0 ? [`  and ${counted(more, 'warning')} more (see --json)`] : []),
  ];
}

/** The days, months or years; nothing of a dataset that is one whole. */
function placesOf(keys: readonly string[]): string {
  const named = keys.filter((key) => /^\d/.test(key));
  if (named.length === 0) return '';
  const more = named.length - PARTS_SHOWN;
  const others = more > 0 ? ` and ${more.toLocaleString('en-US')} more` : '';
  return `: ${named.slice(0, PARTS_SHOWN).join(', ')}${others}`;
}

function linesOfDataset(dataset: DerivedDataset): string[] {
  const { datasetId, textId, computedPartCount, freshPartCount, loadedParts } = dataset;
  const loadedPartCount = loadedParts.length;
  const [rows, parts] = [counted(dataset.rowCount, 'row'), counted(computedPartCount, 'part')];
  const isWithoutRows = computedPartCount + freshPartCount + loadedPartCount === 0;
  const notes = [
    computedPartCount > 0 ? `${rows} from ${parts}` : 'nothing computed',
    ...(isWithoutRows ? dataset.emptyInputs.map((textId) => `${textId} has no rows`) : []),
    ...(freshPartCount > 0 ? [`${counted(freshPartCount, 'part')} up to date`] : []),
    ...(loadedPartCount > 0
      ? [
          `${counted(loadedPartCount, 'part')} left, where rows were loaded${placesOf(loadedParts)} (see --replace-loaded)`,
        ]
      : []),
  ];
  const head = `${datasetId} ${textId}: ${notes.join(', ')}`;
  return [head, ...warningLines(dataset.warnings), ...checkLines(dataset.checks)];
}

function endOf({ refusal, state }: DerivationReport): string[] {
  if (refusal !== null) return [CHECKS_FAILED];
  return state === 'unchanged' ? [NOTHING_DUE] : [];
}

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

export function derivationText(report: DerivationReport): string {
  return textOf([...report.datasets.flatMap(linesOfDataset), ...endOf(report)]);
}

function linesOfCheck({ datasetId, textId, comparedRowCount, differences }: CheckedDerivation) {
  const isNone = comparedRowCount === 0 && differences.length === 0;
  const compared = isNone ? 'nothing to compare' : `${counted(comparedRowCount, 'row')} compared`;
  const end = differences.length === 0 && !isNone ? ', all equal' : '';
  const head = `${datasetId} ${textId}: ${compared}${end}`;
  const found = differences.flatMap(({ what, rowCount, examples }) => [
    `  ${what}: ${counted(rowCount, 'row')}`,
    ...examples.map((example) => `    ${example}`),
  ]);
  return [head, ...found];
}

export function checkText(checked: readonly CheckedDerivation[]): string {
  return textOf(checked.flatMap(linesOfCheck));
}
