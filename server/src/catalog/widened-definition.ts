/** Definitions whose sizes and volumes are decimals instead of integers. Pure. */
import { isQuantityColumn } from '@ticklake/market/quantity.ts';
import { isSeq, parseDocument, type Scalar, type YAMLMap } from 'yaml';
import type { DecimalDigits } from './column-types.ts';
import type { Catalog, Column, Dataset } from './dataset.ts';
import { inputsOf } from './derivation.ts';

/** The columns of sizes and volumes that are not as wide yet. */
export function narrowColumns({ columns }: Dataset, digits: DecimalDigits): readonly Column[] {
  const isNarrow = ({ dataType, precision = 0, scale = 0 }: Column) =>
    dataType === 'integer' ||
    (dataType === 'decimal' &&
      (scale < digits.scale || precision - scale < digits.precision - digits.scale));
  return columns.filter((column) => isQuantityColumn(column.name) && isNarrow(column));
}

/** The named datasets and those that are derived from them, directly or not, by id. */
export function withDerived(catalog: Catalog, named: readonly Dataset[]): readonly Dataset[] {
  const found = new Set(named.map(({ textId }) => textId));
  const isDerived = (dataset: Dataset) => inputsOf(dataset).some((textId) => found.has(textId));
  for (let count = 0; count < found.size; ) {
    count = found.size;
    for (const dataset of catalog.datasets) if (isDerived(dataset)) found.add(dataset.textId);
  }
  return catalog.datasets.filter(({ textId }) => found.has(textId));
}

/** A text in place of the one at [start, end). */
type Edit = readonly [start: number, end: number, text: string];

function editsOf(text: string, column: YAMLMap, { precision, scale }: DecimalDigits): Edit[] {
  const edit = (name: string, value: string | number): Edit[] => {
    const { range } = (column.get(name, true) as Scalar | undefined) ?? {};
    return range ? [[range[0], range[1], `${value}`]] : [];
  };
  const digits = [...edit('precision', precision), ...edit('scale', scale)];
  if (digits.length > 0) return digits;
  const [start = 0] = column.range ?? [];
  const quote = text[start + 1] === '"' ? '"' : '';
  const lineStart = text.lastIndexOf('\n', start) + 1;
  const gap = column.flow ? ', ' : `\n${' '.repeat(start - lineStart)}`;
  const fields = Object.entries({ precision, scale }).map(
    ([name, value]) => `${quote}${name}${quote}: ${value}`,
  );
  return edit('type', [`${quote}decimal${quote}`, ...fields].join(gap));
}

/** The text of a definition with such columns of so many digits; all else stays as it is. */
export function widenedDefinition(
  text: string,
  columns: readonly Column[],
  digits: DecimalDigits,
): string {
  const names = new Set(columns.map(({ name }) => name));
  const defined = parseDocument(text).get('columns');
  const items = isSeq<YAMLMap>(defined) ? defined.items : [];
  const edits = items
    .filter((column) => names.has(`${column.get('name')}`))
    .flatMap((column) => editsOf(text, column, digits));
  return edits
    .sort(([a], [b]) => b - a)
    .reduce((edited, [start, end, by]) => edited.slice(0, start) + by + edited.slice(end), text);
}
