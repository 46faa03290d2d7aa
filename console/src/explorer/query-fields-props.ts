import type { DatasetShape } from './dataset-shape';
import type { ExplorerQuery } from './explorer-query';
import type { FieldProblems } from './query-problems';

/** What every part of the form of a query is given. */
export interface QueryFieldsProps {
  query: ExplorerQuery;
  edit: (change: Partial<ExplorerQuery>) => void;
  shape: DatasetShape;
  problems: FieldProblems;
}
