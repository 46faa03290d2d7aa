/**
 * Files beside definitions that make sizes and volumes decimals: those of a dataset, and of all
 * that are derived from it, whatever their definitions say. Pure.
 */
import { isQuantityColumn } from '@ticklake/market/quantity.ts';
import { columnsOfRule } from './checks.ts';
import { DECIMAL_DIGITS_MAX, type DecimalDigits, typeText } from './column-types.ts';
import { type Column, type Dataset, withColumns } from './dataset.ts';
import { WIDENING } from './definition.ts';
import { type DefinitionSource, readFields } from './definition-file.ts';
import { inputsOf } from './derivation.ts';

export interface Widening extends DecimalDigits {
  readonly textId: string;
  /** Beginning of messages: `FILE:LINE: FIELD: `, or nothing. */
  readonly place: string;
}

/** Digits before the point that hold every integer of 64 bits. */
export const WHOLE_DIGITS_MIN = 19;

/** Every fault is added to `faults`; null: there are some. */
export function readWidening(source: DefinitionSource, faults: string[]): Widening | null {
  const read = readFields(WIDENING, source, faults);
  if (!read) return null;
  const { widens: textId, precision, scale } = read.value;
  if (precision - scale < WHOLE_DIGITS_MIN) {
    faults.push(`${read.place(['scale'])} must leave ${WHOLE_DIGITS_MIN} digits of precision`);
  }
  return { textId, precision, scale, place: `${read.place(['widens'])}: ` };
}

const wholeDigits = ({ precision = WHOLE_DIGITS_MIN, scale = 0 }: Partial<DecimalDigits>) =>
  precision - scale;

const isQuantity = ({ name, dataType }: Column) =>
  isQuantityColumn(name) && (dataType === 'integer' || dataType === 'decimal');

/** Columns of sizes and volumes that are integers or decimals. */
export function quantitiesOf({ columns }: Dataset): readonly Column[] {
  return columns.filter(isQuantity);
}

/** The column with room for the digits beside its own. */
function widened(column: Column, digits: DecimalDigits): Column {
  if (!isQuantity(column)) return column;
  const scale = Math.max(column.scale ?? 0, digits.scale);
  const precision = scale + Math.max(wholeDigits(column), wholeDigits(digits));
  const isSame = precision === column.precision && scale === column.scale;
  return isSame ? column : { ...column, dataType: 'decimal', precision, scale };
}

/** The text ids of a dataset and of those that are derived from it, directly or not. */
function withDerived(datasets: readonly Dataset[], textId: string): ReadonlySet<string> {
  const found = new Set([textId]);
  const isDerived = (dataset: Dataset) => inputsOf(dataset).some((input) => found.has(input));
  for (let count = 0; count < found.size; ) {
    count = found.size;
    for (const dataset of datasets) if (isDerived(dataset)) found.add(dataset.textId);
  }
  return found;
}

/** Digits that are too many, and relations of two types. */
function faultsOf({ textId, columns, columnByName, checks }: Dataset): string[] {
  const long = columns.find(({ precision = 0 }) => precision > DECIMAL_DIGITS_MAX);
  const unequal = checks.find(({ rule }) => {
    const types = columnsOfRule(rule).map((name) => typeText(columnByName.get(name) as Column));
    return rule.kind === 'relation' && new Set(types).size > 1;
  });
  return [
    ...(long ? [`${textId}: ${long.name} would need more than ${DECIMAL_DIGITS_MAX} digits`] : []),
    ...(unequal ? [`${textId}: ${unequal.name} would compare two types`] : []),
  ];
}

/** The datasets as the files widen them. */
export function widenedDatasets(
  datasets: readonly Dataset[],
  widenings: readonly Widening[],
  faults: string[],
): readonly Dataset[] {
  return widenings.reduce((all, { textId, place, ...digits }) => {
    const named = all.find((dataset) => dataset.textId === textId);
    if (!named) faults.push(`${place}there is no dataset ${textId}`);
    else if (quantitiesOf(named).length === 0) {
      faults.push(`${place}${textId} has no sizes or volumes`);
    }
    const reached = withDerived(all, textId);
    return all.map((dataset) => {
      if (!reached.has(dataset.textId)) return dataset;
      const columns = dataset.columns.map((column) => widened(column, digits));
      const isSame = columns.every((column, c) => column === dataset.columns[c]);
      const wide = isSame ? dataset : withColumns(dataset, columns);
      if (wide !== dataset) faults.push(...faultsOf(wide).map((fault) => `${place}${fault}`));
      return wide;
    });
  }, datasets);
}
