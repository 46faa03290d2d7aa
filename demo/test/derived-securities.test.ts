/** Securities derived from symbols alone, against the demo's security master. */

import { SECURITY_MASTER_COLUMNS, securityMasterRow } from '@ticklake/market/security-master.ts';
import { historiesOfSymbols, type SymbolUse } from '@ticklake/market/symbol-chains.ts';
import { dateOfDays } from 'ticklake/engine/columns.ts';
import { expect, test } from 'vitest';
import { AS_OF, generateTables, rowsWhere, type Table, TINY_SIZE } from './generated-market.ts';

const SYMBOL_COLUMNS = ['SecId', 'ASID', 'ListStatus', 'Ticker', 'TickerStartToEndDate'];

test('the symbols of the demo make its securities, with their second SecIds and former tickers', () => {
  const size = { ...TINY_SIZE, dailyDays: 1400 };
  const tables = generateTables(3, AS_OF, size, ['eq_sec_master']);
  const usesOf = (textId: string, column: string) =>
    rowsWhere(tables.get(textId) as Table).map(
      (row): SymbolUse => ({
        ...{ id: Number(row[column]), ticker: row.Ticker as string },
        startDate: dateOfDays(row.StartDate as number),
        endDate: dateOfDays(row.EndDate as number),
      }),
    );
  const histories = historiesOfSymbols(
    usesOf('eq_lookup_files', 'SecId'),
    usesOf('eq_secid_chains_lookup', 'ASID'),
  );
  const derived = histories.map((history) => {
    const cells = securityMasterRow(history);
    const named = SECURITY_MASTER_COLUMNS.map((name, i) => [name, cells[i] ?? null]);
    return Object.fromEntries(named) as Record<string, unknown>;
  });
  const symbolsOf = (rows: readonly Record<string, unknown>[]) =>
    rows.map((row) => SYMBOL_COLUMNS.map((name) => String(row[name])));
  const master = rowsWhere(tables.get('eq_sec_master') as Table);
  expect(symbolsOf(derived)).toEqual(symbolsOf(master));
  expect(new Set(derived.map(({ ASID }) => ASID)).size).toBe(derived.length - 1);
  expect(derived.some(({ Ticker }) => (Ticker as string[]).length > 1)).toBe(true);
});
