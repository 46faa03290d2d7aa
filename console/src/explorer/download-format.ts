/** How the pages of each format become one file in the browser. */
import type { DataFormat } from '@ticklake/client';
import { JOINS } from '@ticklake/client/joined-pages.ts';

export type DownloadFormat = Exclude<DataFormat, 'json'>;

export type Chunks = readonly Uint8Array<ArrayBuffer>[];

interface Place {
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

interface DownloadKind {
  readonly suffix: string;
  readonly mediaType: string;
  /** What a page has in the file, before it is packed. */
  readonly join: (page: Chunks, place: Place) => Promise<Chunks>;
  /** Whether rows are lines of what is joined; those of other formats are counted by their pages. */
  readonly hasLines: boolean;
  /** Whether the file is packed as a whole. */
  readonly isPacked: boolean;
  /** Rows of a page at most, which is held in memory while it comes; null: as many as the service allows. */
  readonly pageRowsMax: number | null;
  /** Why an answer of several pages is no file of the format; null: it is one. */
  readonly onePageOnly: string | null;
}

async function unpacked(chunks: Chunks): Promise<Chunks> {
  const stream = new Blob([...chunks]).stream().pipeThrough(new DecompressionStream('gzip'));
  return Array.fromAsync(stream as AsyncIterable<Uint8Array<ArrayBuffer>>);
}

/** Arrow streams of one schema are one stream. */
async function joinedArrow(chunks: Chunks, place: Place): Promise<Chunks> {
  const page = new Uint8Array(await new Blob([...chunks]).arrayBuffer());
  return [JOINS.arrow(page, { ...place, isBegin: place.isFirst })];
}

const asItIs = async (chunks: Chunks) => chunks;

const TEXT = { hasLines: true, pageRowsMax: null, onePageOnly: null };

export const DOWNLOAD_KINDS: Readonly<Record<DownloadFormat, DownloadKind>> = {
  csv: { ...TEXT, suffix: '.csv', mediaType: 'text/csv', join: asItIs, isPacked: false },
  csv_gzip: {
    ...TEXT,
    ...{ suffix: '.csv.gz', mediaType: 'application/gzip', join: unpacked, isPacked: true },
  },
  arrow: {
    ...{ suffix: '.arrows', mediaType: 'application/vnd.apache.arrow.stream' },
    ...{ join: joinedArrow, hasLines: false, isPacked: false },
    ...{ pageRowsMax: 200_000, onePageOnly: null },
  },
  parquet: {
    ...{ suffix: '.parquet', mediaType: 'application/vnd.apache.parquet' },
    ...{ join: asItIs, hasLines: false, isPacked: false, pageRowsMax: null },
    onePageOnly:
      'The rows do not fit into one Parquet file. Choose Arrow, ask for fewer rows, or fetch all files ' +
      'with ticklake mirror or a client',
  },
};
