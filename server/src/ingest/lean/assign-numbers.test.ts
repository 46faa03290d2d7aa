/** Whatever map files and rows arrive in whatever order: who has a number keeps it. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { repetitions } from '../../../test/repetitions.ts';
import type { Security } from '../../store/securities.ts';
import { assignNumbers } from './assign-numbers.ts';
import { Identities, TickerUses } from './identities.ts';
import { type Chain, OPEN_END, separate } from './map-files.ts';

const DAYS = Array.from({ length: 12 }, (_, at) => `2020-01-${`${at + 1}`.padStart(2, '0')}`);
const TICKERS = ['A', 'B', 'C'];

interface Step {
  readonly chains: readonly Chain[];
  readonly met: readonly (readonly [string, string])[];
}

const ticker = fc.constantFrom(...TICKERS);
const dayAt = fc.integer({ min: 0, max: DAYS.length - 1 });

const chain: fc.Arbitrary<Chain> = fc
  .record({
    first: dayAt,
    lengths: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 3 }),
  })
  .chain(({ first, lengths }) =>
    fc
      .record({
        name: fc.constantFrom('x', 'y', 'z', 'x.1'),
        tickers: fc.array(ticker, { minLength: lengths.length, maxLength: lengths.length }),
        isOpen: fc.boolean(),
      })
      .map(({ name, tickers, isOpen }) => {
        let at = first;
        const periods = lengths.flatMap((length, i) => {
          const startDate = DAYS[at];
          const endDate = DAYS[Math.min(at + length, DAYS.length) - 1];
          at += length;
          return startDate && endDate
            ? [{ ticker: tickers[i] as string, startDate, endDate, venue: null }]
            : [];
        });
        const last = periods.pop();
        if (last) periods.push(isOpen ? { ...last, endDate: OPEN_END } : last);
        const file = { symbol: name, name: `equity/usa/map_files/${name}.csv` } as Chain['file'];
        return {
          file,
          firstTicker: tickers[0] as string,
          firstDate: DAYS[first] as string,
          periods,
        };
      }),
  );

const step: fc.Arbitrary<Step> = fc.record({
  chains: fc.array(chain, { maxLength: 3 }),
  met: fc.array(fc.tuple(ticker, fc.constantFrom(...DAYS)), { maxLength: 4 }),
});

/** Imports one step. */
function importStep(known: readonly Security[], { chains: claimed, met }: Step) {
  const chains = separate(claimed);
  const uses = new TickerUses(new Identities(assignNumbers(known, chains, []).securities));
  for (const [name, date] of met) uses.add(name, date);
  return assignNumbers(known, chains, uses.list());
}

const keyOf = ({ firstTicker, firstDate }: Security) => `${firstTicker} ${firstDate}`;

test('a company keeps its number, a day has one company, and rows of another number are told', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 6 }), (steps) => {
      let known: readonly Security[] = [];
      const numberOf = new Map<string, number>();
      const published = new Map<string, number | null>();
      for (const each of steps) {
        const { securities, changed, warnings } = importStep(known, each);
        const identities = new Identities(securities);
        expect(new Set(securities.map(({ securityId }) => securityId)).size).toBe(
          securities.length,
        );
        expect(new Set(securities.map(keyOf)).size).toBe(securities.length);
        for (const security of securities.filter(({ firstDate }) => firstDate !== null)) {
          const { securityId } = security;
          expect(numberOf.get(keyOf(security)) ?? securityId).toBe(securityId);
          numberOf.set(keyOf(security), securityId);
        }
        for (const name of TICKERS) {
          for (const day of DAYS) {
            const claims = securities.filter(
              ({ firstDate, periods }) =>
                firstDate !== null &&
                periods.some(
                  (at) => at.ticker === name && at.startDate <= day && day <= at.endDate,
                ),
            );
            expect(claims.length).toBeLessThanOrEqual(1);
          }
        }
        for (const [row, before] of published) {
          const [name, day] = row.split(' ') as [string, string];
          const now = identities.on(name, day);
          if (now === before) continue;
          published.delete(row);
          // Days that a company loses to nobody: the ledger does not know whether rows have them.
          if (identities.companyOn(name, day) === null) continue;
          const isTold = warnings.some((line) => line.startsWith(`${name} on `));
          expect(isTold, `${row}: ${before} is ${now}`).toBe(true);
        }
        for (const [name, day] of each.met) {
          expect(identities.on(name, day)).not.toBeNull();
          published.set(`${name} ${day}`, identities.on(name, day));
        }
        // Importing unchanged securities again changes and reports nothing.
        const again = importStep(securities, each);
        expect([again.changed, again.warnings]).toEqual([[], []]);
        const kept = new Map(known.map((security) => [security.securityId, security]));
        for (const security of changed) kept.set(security.securityId, security);
        known = [...kept.values()].toSorted((a, b) => a.securityId - b.securityId);
        expect(known).toEqual(securities.toSorted((a, b) => a.securityId - b.securityId));
      }
    }),
    { numRuns: repetitions('TICKLAKE_NUMBERED_IMPORTS', 400) },
  );
});

test('a number that is taken goes to nobody else', () => {
  const use = { ticker: 'A', firstDate: '2020-01-02', lastDate: '2020-01-02' };
  const [given] = assignNumbers([], [], [use]).securities as [Security];
  const other = { ...given, firstTicker: 'Q', firstDate: '2001-01-02', periods: [] };
  const { securities } = assignNumbers([other], [], [use]);
  expect(securities.map(({ securityId }) => securityId)).toEqual([
    given.securityId,
    given.securityId + 1,
  ]);
});
