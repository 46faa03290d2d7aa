import type { Usage } from '@ticklake/client';
import { QUANTITY_NAMES } from '../format/texts';
import { csvOf } from '../ui/table-view';

export interface UsageNames {
  readonly datasetOf: (datasetId: string) => string;
  readonly keyOf: (keyId: number) => string;
}

/** A line for each day, dataset and key; nothing where there is none. */
export function usageCsv({ data }: Pick<Usage, 'data'>, { datasetOf, keyOf }: UsageNames): string {
  return csvOf<Usage['data'][number]>(
    [
      { header: 'day', by: 'day' },
      { header: 'dataset_id', by: 'dataset_id' },
      { header: 'dataset', by: ({ dataset_id: id }) => id && datasetOf(id) },
      { header: 'key_id', by: 'key_id' },
      { header: 'key', by: ({ key_id: id }) => (id === null ? 'session' : keyOf(id)) },
      ...QUANTITY_NAMES.map((name) => ({ header: name, by: name })),
    ],
    data,
  );
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
