/** Where a load publishes: in a publication of its own, or in an open one. */
import type { Lake } from '../lake/lake.ts';
import type { OpenPublication } from '../lake/publication.ts';
import type { PublicationOptions } from '../lake/publication-options.ts';

export interface PublishingOptions extends PublicationOptions {
  /** The open publication that is written into; absent or null: one of the load's own. */
  readonly into?: number | null | undefined;
}

/** Throws a `UsageError` where there is no such open publication. */
export async function publishing<T>(
  lake: Lake,
  { into, ...options }: PublishingOptions,
  work: (publication: OpenPublication) => Promise<T>,
): Promise<T> {
  if (!into) return await lake.publication(options, work);
  return await lake.publisher.open.into(into, options, work);
}
