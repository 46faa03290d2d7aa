import type { DatasetRow, QueryForm } from '@ticklake/client';
import { installPython } from '../format/client-packages';

/** Small, known, and read without an identifier: the first of them that the account may read. */
const PREFERRED = ['eq_daily_ohlc', 'eq_taq_daily', 'eq_sec_master', 'eq_market_holidays'];

/** The id of a dataset to begin with; undefined where the account may read none. */
export function firstDataset(own: readonly DatasetRow[]): string | undefined {
  const preferred = PREFERRED.flatMap(
    (textId) => own.find(({ dataset_text_id }) => dataset_text_id === textId) ?? [],
  );
  return (preferred[0] ?? own[0])?.dataset_id;
}

/**
 * `apiUrl`: base of the interface, `https://host/v1`. Null of a dataset that wants an identifier:
 * which ones it has, a form does not tell.
 */
export function frameSnippet(
  apiUrl: string,
  form: Pick<QueryForm, 'dataset_id' | 'date_column' | 'path_parameters' | 'required_filters'>,
): string | null {
  if (form.required_filters.length > 0 || form.path_parameters.includes('identifier')) return null;
  const dates = form.date_column === null ? '' : 'dates="latest", ';
  const server = new URL(apiUrl).origin;
  return [
    `# ${installPython(apiUrl, 'polars')}`,
    '# export TICKLAKE_KEY=…',
    'import ticklake',
    '',
    `client = ticklake.Client("${server}")`,
    `dataset = client.dataset("${form.dataset_id}")`,
    `frame = dataset.read(${dates}limit=10).to_polars()`,
    'print(frame)',
  ].join('\n');
}
