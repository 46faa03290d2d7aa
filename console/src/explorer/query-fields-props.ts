import type { DatasetShape } from './dataset-shape';
import type { ExplorerQuery } from './explorer-query';
import type { FieldProblems } from './query-problems';

/** The props of every part of the query form. */
export interface QueryFieldsProps {
  query: ExplorerQuery;
  edit: (change: Partial<ExplorerQuery>) => void;
  shape: DatasetShape;
  problems: FieldProblems;
}
