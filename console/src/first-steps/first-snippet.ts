import type { DatasetRow, QueryForm } from '@ticklake/client';
import { installPython } from '../format/client-packages';
import { addDays } from '../format/dates';

/** Small, and what people know: the first of them that the account may read. */
const PREFERRED = ['eq_daily_ohlc', 'eq_taq_daily', 'eq_trades_1min', 'fut_daily'];

/** The id of a dataset to begin with; undefined where the account may read none. */
export function firstDataset(own: readonly DatasetRow[]): string | undefined {
  const preferred = PREFERRED.flatMap(
    (textId) => own.find(({ dataset_text_id }) => dataset_text_id === textId) ?? [],
  );
  return (preferred[0] ?? own[0])?.dataset_id;
}

/**
 * Dates that have rows, as the argument of a call in Python: the dataset's last date, or, where the
 * account's rules end earlier, the week until then; empty without dates.
 */
export function lastDates(form: Pick<QueryForm, 'rules' | 'date_column'>, last: string | null) {
  if (form.date_column === null || last === null) return '';
  const ends = form.rules.map(({ end_date: end }) => end ?? last);
  const end = ends.sort().at(-1) ?? last;
  return end < last ? `dates=("${addDays(end, -6)}", "${end}"), ` : `dates="${last}", `;
}

/** `apiUrl`: base of the interface, `https://host/v1`; `dates`: see `lastDates`. */
export function frameSnippet(apiUrl: string, datasetId: string, dates: string): string {
  const server = new URL(apiUrl).origin;
  return [
    `# ${installPython(apiUrl, 'polars')}`,
    '# export TICKLAKE_KEY=…',
    'import ticklake',
    '',
    `client = ticklake.Client("${server}")`,
    `dataset = client.dataset("${datasetId}")`,
    `frame = dataset.read(${dates}limit=10).to_polars()`,
    'print(frame)',
  ].join('\n');
}
