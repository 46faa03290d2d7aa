/** Publishes rows of one dataset in a publication of their own. */
import { UsageError } from '../src/base/errors.ts';
import type { ColumnBatch } from '../src/engine/columns.ts';
import type { Lake } from '../src/lake/lake.ts';
import type { PublicationWait } from '../src/lake/publication-options.ts';
import type { PublicationReport, StageOptions } from '../src/lake/publish.ts';

interface BatchPublication extends StageOptions, PublicationWait {
  readonly batches: AsyncIterable<ColumnBatch>;
}

/** Throws a `UsageError` if rows break a check. Without rows only `replace-all` makes a version. */
export async function publishBatches(
  lake: Lake,
  { batches, ...options }: BatchPublication,
): Promise<PublicationReport> {
  const { dataset } = options;
  const begun = { ...options, datasets: [dataset], command: 'publish' };
  return await lake.publication(begun, async (publication) => {
    const writer = await lake.openWriter(dataset);
    try {
      for await (const batch of batches) await writer.append(batch);
      const report = await publication.write(options, writer);
      if (report.refusal !== null) throw new UsageError(report.refusal);
      return report;
    } finally {
      await writer.close();
    }
  });
}
