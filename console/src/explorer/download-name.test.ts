import { describe, expect, it } from 'vitest';
import { DAILY, EMPTY_QUERY, TICKS } from '../../test/fixtures/shapes';
import { downloadName } from './download-name';
import type { ExplorerQuery } from './explorer-query';
import { requestOf } from './explorer-request';

const nameOf = (query: Partial<ExplorerQuery>, shape = DAILY) =>
  downloadName(requestOf({ ...EMPTY_QUERY, ...query }, shape), shape, 'parquet');

describe('downloadName', () => {
  it.each<[Partial<ExplorerQuery>, string]>([
    [{ identifier: 'AVQX', from: '2026-09-01', to: '2026-11-10' }, 'AVQX_2026-09-01_2026-11-10'],
    [{ identifier: 'BRK/B', from: '2026-09-01', to: '2026-09-01' }, 'BRK_B_2026-09-01'],
    [{ identifier: 'B,A', from: '2026-09-01' }, 'A_B_from_2026-09-01'],
    [{ identifier: 'D,C,B,A', to: '2026-09-01' }, 'A_B_C_and_1_more_to_2026-09-01'],
    [{ filters: [{ column: 'Ticker', operator: 'in', value: 'B,A' }] }, 'A_B'],
  ])('says dataset, identifiers and dates of %j', (query, words) => {
    expect(nameOf(query)).toBe(`eq-daily-ohlc_${words}.parquet`);
  });

  it('says what the path has', () => {
    const name = nameOf({ date: '2026-11-20', identifier: 'AVQX' }, TICKS);
    expect(name).toBe('eq-taq_2026-11-20_AVQX.parquet');
  });

  it('keeps the dates of a name that would be too long', () => {
    const name = nameOf({ identifier: 'A'.repeat(200), from: '2026-09-01', to: '2026-11-10' });
    expect(name).toMatch(/A_2026-09-01_2026-11-10\.parquet$/);
    expect(name).toHaveLength(120 + '.parquet'.length);
  });
});
