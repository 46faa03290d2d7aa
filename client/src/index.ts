/** A client of a Ticklake server, and the types of its interface. */
export { type ChangesOptions, Dataset } from './dataset.ts';
export * from './errors.ts';
export type { Exact } from './exact-json.ts';
export type { FileFormat, FileSet } from './manifest.ts';
export type * from './named-types.ts';
export {
  type Bounds,
  type ChainContract,
  type ChainInfo,
  type ChainOptions,
  OptionChainQuery,
} from './option-chain.ts';
export { type Estimate, type Groups, type Page, Query, type ReadOptions } from './query.ts';
export type { DownloadOptions, RemoteFile } from './remote-file.ts';
export type { FilterValue, Where } from './request.ts';
export { type PathOptions, Ticklake, type TicklakeOptions, type UsualOptions } from './ticklake.ts';
export type { Missing } from './told.ts';
export type * from './types.ts';
export type { Dates, Id, Market } from './usual-datasets.ts';
export type { Row, Scalar, Value } from './values.ts';
