/** Lookups of SecIds and the security master, from the symbols that securities have had. */
import { createHash } from 'node:crypto';
import { SECURITY_MASTER_COLUMNS, securityMasterRow } from '@ticklake/market/security-master.ts';
import {
  historiesOfSymbols,
  type SymbolUse,
  splitSecurities,
} from '@ticklake/market/symbol-chains.ts';
import type { CellValue } from '../engine/columns.ts';
import { RowBuffer } from '../engine/row-buffer.ts';
import { type Computation, type ComputationInput, plainComputation } from './computation.ts';
import { readSymbolUses } from './symbol-uses.ts';

const LOOKUP_RULE_VERSION = 1;
const MASTER_RULE_VERSION = 2;

type Cells = Readonly<Record<string, CellValue>>;

function* batchesOf({ output }: ComputationInput, rows: Iterable<Cells>) {
  const buffer = new RowBuffer(output);
  for (const row of rows) {
    buffer.appendRow(row);
    yield* buffer.take(false);
  }
  yield* buffer.take(true);
}

const LAST = '9999-12-31';

function compareUses(a: SymbolUse, b: SymbolUse): number {
  if (a.ticker !== b.ticker) return a.ticker < b.ticker ? -1 : 1;
  const [one, other] = [a.startDate ?? LAST, b.startDate ?? LAST];
  return one === other ? 0 : one < other ? -1 : 1;
}

/** Where nobody has told SecIds, a chain of symbols is one security throughout. */
async function* lookupRows(input: ComputationInput) {
  const uses = await readSymbolUses(input, input.inputs[0], 'ASID');
  const rows = uses.sort(compareUses).map(({ id, ticker, startDate, endDate }) => {
    return { SecId: id, Ticker: ticker, StartDate: startDate, EndDate: endDate };
  });
  yield* batchesOf(input, rows);
}

async function* masterRows(input: ComputationInput, asids: readonly SymbolUse[]) {
  const [lookup] = input.inputs;
  const secIds = await readSymbolUses(input, lookup, 'SecId');
  for (const { use, asids: own, asid } of splitSecurities(secIds, asids)) {
    const place = `${lookup?.textId} ${use.startDate} ${use.ticker}`;
    input.warn(`${place}: SecId ${use.id} has the ASIDs ${own.join(', ')}; ${asid} counts`);
  }
  const rows = historiesOfSymbols(secIds, asids).map((history) => {
    const cells = securityMasterRow(history);
    return Object.fromEntries(SECURITY_MASTER_COLUMNS.map((name, i) => [name, cells[i] ?? null]));
  });
  yield* batchesOf(input, rows);
}

export const SYMBOL_LOOKUP = plainComputation(LOOKUP_RULE_VERSION, lookupRows);

export const SECURITY_MASTER: Computation = {
  ruleVersion: MASTER_RULE_VERSION,
  async prepare(input) {
    const asids = await readSymbolUses(input, input.inputs[1], 'ASID');
    const mark = createHash('sha256').update(JSON.stringify(asids)).digest('hex');
    return { mark, rows: () => masterRows(input, asids) };
  },
};
