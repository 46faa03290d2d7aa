import type { PathShape } from '../catalog/dataset.ts';

/** Names of the path segments after the dataset's, for each path shape. */
export const PATH_PARAMETERS: Readonly<Record<PathShape, readonly string[]>> = {
  tick: ['trade_date', 'identifier'],
  identifier: ['identifier'],
  query: [],
};
