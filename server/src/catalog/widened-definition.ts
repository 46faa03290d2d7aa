/** Definitions whose sizes and volumes are decimals instead of integers. Pure. */
import { isQuantityColumn } from '@ticklake/market/quantity.ts';
import { isSeq, parseDocument, type YAMLMap } from 'yaml';
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

/** The text of a definition with such columns of so many digits. */
export function widenedDefinition(
  text: string,
  columns: readonly Column[],
  { precision, scale }: DecimalDigits,
): string {
  const document = parseDocument(text);
  const names = new Set(columns.map(({ name }) => name));
  const defined = document.get('columns');
  for (const column of isSeq<YAMLMap>(defined) ? defined.items : []) {
    if (!names.has(`${column.get('name')}`)) continue;
    column.set('type', 'decimal');
    column.set('precision', precision);
    column.set('scale', scale);
  }
  return document.toString({ lineWidth: 100, flowCollectionPadding: true });
}
