import type { Usage } from '@ticklake/client';
import { QUANTITY_NAMES } from '../format/texts';

export interface UsageNames {
  readonly datasetOf: (datasetId: string) => string;
  readonly keyOf: (keyId: number) => string;
}

const NEEDS_QUOTES = /[",\r\n]/;
/** Spreadsheets would compute what begins so. */
const FORMULA = /^[=+\-@\t\r]/;

function cell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const HEADER = ['day', 'dataset_id', 'dataset', 'key_id', 'key', ...QUANTITY_NAMES];

/** A line for each day, dataset and key; nothing where there is none. */
export function usageCsv({ data }: Pick<Usage, 'data'>, { datasetOf, keyOf }: UsageNames): string {
  const lines = data.map(({ day, dataset_id, key_id, ...amounts }) => [
    day,
    dataset_id ?? '',
    dataset_id === null ? '' : datasetOf(dataset_id),
    key_id ?? '',
    key_id === null ? 'session' : keyOf(key_id),
    ...QUANTITY_NAMES.map((name) => amounts[name]),
  ]);
  return [HEADER, ...lines].map((line) => `${line.map(cell).join(',')}\r\n`).join('');
}

const TEXTS: Readonly<Record<number, string>> = {
  200: 'OK',
  206: 'OK, part of a file',
  304: 'Not changed',
  401: 'Not signed in',
  403: 'No access',
  404: 'Not found',
  406: 'Format not offered',
  410: 'Gone',
  422: 'Bad request',
  429: 'Over the limit',
  499: 'Client disconnected',
  500: 'Server error',
  503: 'Busy',
  504: 'Timed out',
};

export function statusText(status: number): string {
  const text = TEXTS[status];
  return text === undefined ? String(status) : `${text} (${status})`;
}
