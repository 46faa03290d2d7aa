/** Columns with what is known of them, and how they are found. */
import type { Column, QueryForm } from '@ticklake/client';

export interface DescribedColumn {
  readonly name: string;
  readonly dataType: string;
  readonly description: string;
  /** Those that it can be filtered with. */
  readonly operators: readonly string[];
}

export function describedColumns(
  columns: readonly Column[],
  shape: Pick<QueryForm, 'columns' | 'unfilterable_columns'>,
): readonly DescribedColumn[] {
  const operatorsByName = new Map(shape.columns.map(({ name, operators }) => [name, operators]));
  const unfilterable = new Set(shape.unfilterable_columns);
  return columns.map(({ name, data_type: dataType, description }) => ({
    name,
    dataType,
    description,
    operators: unfilterable.has(name) ? [] : (operatorsByName.get(name) ?? []),
  }));
}

/** Those whose name or description holds every word of `text`, of a type unless it is null. */
export function matchingColumns(
  columns: readonly DescribedColumn[],
  text: string,
  dataType: string | null,
): readonly DescribedColumn[] {
  const words = text.toLowerCase().split(/\s+/);
  return columns.filter((column) => {
    const searched = `${column.name} ${column.description}`.toLowerCase();
    return (
      (dataType === null || column.dataType === dataType) &&
      words.every((word) => searched.includes(word))
    );
  });
}
