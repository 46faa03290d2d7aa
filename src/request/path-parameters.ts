import type { PathShape } from '../catalog/dataset.ts';

/** What the segments of a data path after the dataset's are called: the one table of path shapes. */
export const PATH_PARAMETERS: Readonly<Record<PathShape, readonly string[]>> = {
  tick: ['trade_date', 'identifier'],
  identifier: ['identifier'],
  query: [],
};
