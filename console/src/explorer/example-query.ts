import { type DatasetShape, identifierColumns } from './dataset-shape';
import { frontContract } from './futures-symbols';

/** True where a query has to name something, which newcomers do not know. */
export function takesIdentifier(shape: DatasetShape): boolean {
  return shape.path_parameters.includes('identifier') || identifierColumns(shape) !== null;
}

/**
 * The chart of something that a dataset has: of a row, or of the contracts of its root, one after
 * the other. Null where the row does not name it.
 */
export function exampleSearch(shape: DatasetShape, row: Readonly<Record<string, unknown>>) {
  const root = shape.root_column === null ? undefined : row[shape.root_column];
  const columns = identifierColumns(shape);
  const ofPath = shape.path_forms.map(({ identifier_column: column }) => column);
  const names = columns ? [columns.text, columns.integer] : ofPath;
  const named = names.map((name) => (name === null ? null : row[name]));
  const found = root ? frontContract(String(root)) : named.find((each) => each);
  if (!found) return null;
  const day = shape.path_parameters.includes('trade_date') ? row[shape.date_column ?? ''] : '';
  return {
    dataset: shape.dataset_id,
    identifier: String(Array.isArray(found) ? found[0] : found),
    ...(typeof day === 'string' && day !== '' && { date: day.slice(0, 10) }),
    tab: 'chart',
    run: true,
  } as const;
}
