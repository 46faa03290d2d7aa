import type { DatasetRow } from '@ticklake/client';
import { installPython } from '../format/client-packages';

/** Small, and what people know: the first of them that the account may read. */
const PREFERRED = ['eq_daily_ohlc', 'eq_taq_daily', 'eq_trades_1min', 'fut_daily'];

/** The id of a dataset to begin with; undefined where the account may read none. */
export function firstDataset(own: readonly DatasetRow[]): string | undefined {
  const preferred = PREFERRED.flatMap(
    (textId) => own.find(({ dataset_text_id }) => dataset_text_id === textId) ?? [],
  );
  return (preferred[0] ?? own[0])?.dataset_id;
}

/** `apiUrl`: base of the interface, `https://host/v1`. */
export function frameSnippet(apiUrl: string, datasetId = 'DATASET'): string {
  const server = new URL(apiUrl).origin;
  return [
    `# ${installPython(apiUrl, 'polars')}`,
    '# export TICKLAKE_KEY=…',
    'import ticklake',
    '',
    `client = ticklake.Client("${server}")`,
    `dataset = client.dataset("${datasetId}")`,
    'frame = dataset.read(limit=10).to_polars()',
    'print(frame)',
  ].join('\n');
}
