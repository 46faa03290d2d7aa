/** Lookups of SecIds and the security master, from the symbols that securities have had. */
import { SECURITY_MASTER_COLUMNS, securityMasterRow } from '@ticklake/market/security-master.ts';
import {
  clashesOf,
  historiesOfSymbols,
  type SymbolUse,
  splitSecurities,
} from '@ticklake/market/symbol-chains.ts';
import type { Dataset } from '../catalog/dataset.ts';
import {
  bufferRows,
  type ComputationInput,
  plainComputation,
  referencedComputation,
} from './computation.ts';
import { referenceRows } from './reference-rows.ts';

const LOOKUP_RULE_VERSION = 1;
const MASTER_RULE_VERSION = 2;

const LAST = '9999-12-31';

function compareUses(a: SymbolUse, b: SymbolUse): number {
  if (a.ticker !== b.ticker) return a.ticker < b.ticker ? -1 : 1;
  const [one, other] = [a.startDate ?? LAST, b.startDate ?? LAST];
  return one === other ? 0 : one < other ? -1 : 1;
}

/**
 * The security that each symbol stood for on which days, in natural order, without test symbols,
 * which have no number. Warns of symbols of two securities at once.
 */
async function readSymbolUses(
  input: ComputationInput,
  lookup: Dataset,
  column: 'SecId' | 'ASID',
): Promise<SymbolUse[]> {
  const uses: SymbolUse[] = [];
  const columns = {
    Ticker: 'text',
    StartDate: 'date',
    EndDate: 'date',
    [column]: 'number',
  } as const;
  for await (const rows of referenceRows(input, lookup, columns, input.dates)) {
    for (const { Ticker: ticker, StartDate: startDate, EndDate: endDate, ...numbers } of rows) {
      const id = (numbers as Readonly<Record<string, number | null>>)[column] ?? null;
      if (id !== null && ticker !== null) uses.push({ id, ticker, startDate, endDate });
    }
  }
  for (const { ticker, date, ids } of clashesOf(uses)) {
    const place = `${lookup.textId} ${date} ${ticker}`;
    input.warn(`${place}: the symbol of ${column} ${ids[0]} and ${ids[1]} on one day`);
  }
  return uses;
}

/** Without SecIds of its own, a chain of symbols is one security throughout. */
export const SYMBOL_LOOKUP = plainComputation(LOOKUP_RULE_VERSION, async function* (input) {
  const uses = await readSymbolUses(input, input.inputs[0], 'ASID');
  yield* bufferRows(input.output, uses.sort(compareUses), (buffer, use) => {
    const { id, ticker, startDate, endDate } = use;
    buffer.appendRow({ SecId: id, Ticker: ticker, StartDate: startDate, EndDate: endDate });
  });
});

async function* masterRows(input: ComputationInput, asids: readonly SymbolUse[]) {
  const [lookup] = input.inputs;
  const secIds = await readSymbolUses(input, lookup, 'SecId');
  for (const { use, asids: own, asid } of splitSecurities(secIds, asids)) {
    const place = `${lookup.textId} ${use.startDate} ${use.ticker}`;
    input.warn(`${place}: SecId ${use.id} has the ASIDs ${own.join(', ')}; ${asid} counts`);
  }
  yield* bufferRows(input.output, historiesOfSymbols(secIds, asids), (buffer, history) => {
    const cells = securityMasterRow(history);
    buffer.appendRow(
      Object.fromEntries(SECURITY_MASTER_COLUMNS.map((name, i) => [name, cells[i] ?? null])),
    );
  });
}

export const SECURITY_MASTER = referencedComputation({
  ruleVersion: MASTER_RULE_VERSION,
  read: (input) => readSymbolUses(input, input.inputs[1] as Dataset, 'ASID'),
  digested: (asids) => asids,
  rows: masterRows,
});
