import type { Quantity } from '@ticklake/market/quantity.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Column } from '../catalog/dataset.ts';
import { batchOfRows, type CellValue, dateOfDays } from '../engine/columns.ts';
import { ChainTicks, TICK_COLUMNS } from './chain-ticks.ts';
import { type ContractFilter, osiSymbolOf, storedOsiSymbol, usualRoot } from './option-contract.ts';

const TYPES: Readonly<Record<string, string>> = {
  EventDateTime: 'date-time',
  Strike: 'number',
  ExpirationDate: 'date',
  Price: 'number',
  Quantity: 'integer',
  UnderBidPrice: 'number',
  UnderAskPrice: 'number',
};
const COLUMNS = TICK_COLUMNS.map((name) => ({ name, dataType: TYPES[name] ?? 'string' }) as Column);
const EVERY: ContractFilter = {
  ...{ root: null, callPut: null, expiration: null, strike: null },
  ...{ expirations: { from: null, to: null }, strikes: { from: null, to: null } },
};

type Cells = readonly CellValue[];

const anyTick: fc.Arbitrary<Cells> = fc.tuple(
  fc.bigInt({ min: 0n, max: 9n }),
  fc.constantFrom('AAA', 'AAAW'),
  fc.constantFrom('C', 'P', 'X', null),
  fc.constantFrom(95, 100, null),
  fc.constantFrom('2026-11-20', '2026-12-18', null),
  fc.constantFrom('FQ NB', 'FQ', 'NFQ NB', 'T', 'T NB', 'TI', 'C', 'OI', null),
  fc.constantFrom('B', 'A', null),
  fc.constantFrom(2.5, 3, 0, null),
  fc.constantFrom(4n, 0n, null),
  fc.constantFrom('I', 'B', null),
  fc.constantFrom(100, null),
  fc.constantFrom(100.02, null),
);

const keyOf = ([time, root]: Cells) => `${root} ${time}`;

/** By root, each in the order of the feed, as a scan hands them out. */
const anyTicks = fc
  .array(anyTick, { maxLength: 60 })
  .map((rows) => rows.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : Number(keyOf(a) > keyOf(b)))));

function chainOf(rows: readonly Cells[], batchRows: number) {
  const ticks = new ChainTicks(COLUMNS, EVERY, 0n);
  for (let at = 0; at < rows.length; at += batchRows) {
    ticks.take(batchOfRows(COLUMNS, rows.slice(at, at + batchRows)));
  }
  return ticks;
}

describe('the ticks of a chain', () => {
  it('come to the same in batches of any size', () => {
    fc.assert(
      fc.property(anyTicks, fc.integer({ min: 1, max: 9 }), (rows, batchRows) => {
        const [whole, cut] = [chainOf(rows, 100), chainOf(rows, batchRows)];
        expect(cut.contracts()).toEqual(whole.contracts());
        expect(cut.underlying?.nanosOfDay).toBe(whole.underlying?.nanosOfDay);
      }),
    );
  });

  it('say of each contract what the last ones of it say', () => {
    fc.assert(
      fc.property(anyTicks, (rows) => {
        for (const { terms, quotes, trade, openInterest } of chainOf(rows, 7).contracts()) {
          const own = rows.filter(
            ([, root, callPut, strike, expiration]) =>
              root === terms.root &&
              callPut === terms.callPut &&
              strike === terms.strike &&
              expiration === terms.expiration,
          );
          const lastOf = (isIt: (action: CellValue, row: Cells) => boolean) =>
            own.findLast((row) => isIt(row[5] as CellValue, row)) ?? [];
          const sideOf = (side: string) => {
            const [price, size] = lastOf((a, row) => a === 'FQ NB' && row[6] === side).slice(7);
            return price && size ? [price, Number(size)] : null;
          };
          const shown = (quote: { price: number; quantity: Quantity } | null) =>
            quote && [quote.price, Number(quote.quantity)];
          expect([shown(quotes.bid), shown(quotes.ask)]).toEqual([sideOf('B'), sideOf('A')]);
          const traded = lastOf(
            (a, row) => (a === 'T' || a === 'T NB') && !!row[7] && !!row[8] && row[9] !== 'B',
          );
          expect(shown(trade)).toEqual(traded.length ? [traded[7], Number(traded[8])] : null);
          const [, , , , , action, , , open] = lastOf((a) => a === 'OI');
          expect(openInterest).toBe(action && open !== null ? Number(open) : null);
        }
      }),
    );
  });
});

describe('OSI symbols', () => {
  it('say root, expiration, right and strike in 21 characters', () => {
    const terms = { root: 'BRKB', expiration: '2026-11-20', callPut: 'P', strike: 187.5 } as const;
    expect(osiSymbolOf(terms)).toBe('BRKB  261120P00187500');
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 99_999_999 }),
        fc.integer({ min: 12_000, max: 40_000 }),
        (thousandths, days) => {
          const expiration = dateOfDays(days);
          const symbol = osiSymbolOf({ ...terms, expiration, strike: thousandths / 1000 }) ?? '';
          expect(symbol).toHaveLength(21);
          expect(storedOsiSymbol(symbol)).toBe(symbol);
          expect(Number(symbol.slice(13))).toBe(thousandths);
        },
      ),
    );
  });

  it.each([{ strike: 1.2345 }, { strike: 100_000 }, { root: 'TOOLONG' }, { root: 'BRK.B' }])(
    'have no form for %o',
    (own) => {
      const terms = { root: 'AAA', expiration: '2026-11-20', callPut: 'C', strike: 10 } as const;
      expect(osiSymbolOf({ ...terms, ...own })).toBeNull();
    },
  );

  it.each([
    ['BRK.B', 'BRKB'],
    ['SPX', 'SPX'],
    ['^', '^'],
  ])('of %s have the root %s as a rule', (underlying, root) => {
    expect(usualRoot(underlying)).toBe(root);
  });
});
