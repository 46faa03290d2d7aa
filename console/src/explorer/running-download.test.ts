import { expect, it, vi } from 'vitest';
import { DAILY, EMPTY_QUERY } from '../../test/fixtures/shapes';
import { requestOf } from './explorer-request';
import { download, endDownload, startDownload } from './running-download';

it('tells of no end of a download that was cancelled while its file was finished', async () => {
  const answer = new Response('"N"\n1\n', { headers: { 'X-Pagination-Next-Offset': '' } });
  vi.stubGlobal('fetch', async () => answer);
  const file = {
    write: async () => undefined,
    close: async () => endDownload(),
    abort: async () => undefined,
  };
  const showSaveFilePicker = async () => ({ createWritable: async () => file });
  vi.stubGlobal('window', { showSaveFilePicker });
  const request = requestOf({ ...EMPTY_QUERY, identifier: 'AVQX' }, DAILY);
  const order = { request, format: 'csv', name: 'a.csv', pageRows: 10, rowCountMax: 1 } as const;
  await startDownload({ ...order, isLarge: true });
  expect(download.state()).toEqual({ phase: 'idle' });
});
