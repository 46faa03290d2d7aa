/**
 * Option chains depend on no rows but those that the account may read: for any rows and rules of
 * each dataset, at the end of a day and in the middle of it.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CellValue } from '../../src/engine/columns.ts';
import { openTestService, type TestService } from '../harness.ts';
import type { Row } from '../oracle/read-rows.ts';
import { publishRows } from '../past/republished-dataset.ts';
import { repetitions } from '../repetitions.ts';
import { expectCameAcross } from '../seed.ts';
import { writing } from '../writing.ts';
import { isPermitted, type Rule } from './permitted-rows.ts';
import type { Subject } from './subjects.ts';

const LAKES = repetitions('TICKLAKE_OPTION_CHAIN_LAKES', 2);
const RULE_SETS = 3;
/** Chains that are asked for under each rule set. */
const CHAINS = { minLength: 12, maxLength: 12 };
/** The test services' day. */
const TODAY = '2025-06-20';
const DATES = ['2025-06-17', '2025-06-18', TODAY];
const ROOTS = ['AAA', 'AAAW', 'BC', 'ZZ'];
const UNDERLYINGS: Readonly<Record<string, string>> = { AAA: 'AAA', AAAW: 'AAA', BC: 'B.C' };

const OF_ROOT = { nameColumns: ['Ticker'], idColumn: null, things: [] };
const SUBJECTS: readonly Subject[] = [
  { textId: 'opt_tanq', dateColumn: 'TradeDate', ...OF_ROOT },
  { textId: 'opt_greeks_daily', dateColumn: 'TradeDate', ...OF_ROOT },
  { textId: 'opt_contr_sec_master', dateColumn: null, ...OF_ROOT, nameColumns: ['UnderTicker'] },
];

type Cells = Readonly<Record<string, CellValue>>;

const anyTerms = fc.record({
  root: fc.constantFrom(...ROOTS),
  CallPut: fc.constantFrom('C', 'P'),
  Strike: fc.constantFrom(95, 100),
  expiration: fc.constantFrom('2025-06-18', '2025-07-18'),
});

const anyTick = fc
  .record({
    terms: anyTerms,
    date: fc.constantFrom(...DATES),
    hour: fc.constantFrom(11, 15, 19, 21),
    what: fc.constantFrom(['OI', null], ['FQ NB', 'B'], ['FQ NB', 'A'], ['T', null]),
    Price: fc.constantFrom(1, 2.5, null),
    Quantity: fc.bigInt({ min: 0n, max: 9n }),
    UnderBidPrice: fc.constantFrom(100, null),
  })
  .map(({ terms: { root, expiration, ...terms }, date, hour, what, ...cells }): Cells => {
    const time = BigInt(Date.parse(`${date}T${hour}:00:00Z`)) * 1_000_000n;
    const [Action = null, Side = null] = what;
    const own = { ...terms, ...cells, Action, Side, Ticker: root, ExpirationDate: expiration };
    return { ...own, TradeDate: date, EventDateTime: time, ConditionCode: 'I' };
  });

const anyAnalytics = fc
  .record({
    terms: anyTerms,
    TradeDate: fc.constantFrom(...DATES),
    MidDelta: fc.constantFrom(0.2, 0.7),
  })
  .map(({ terms: { root, expiration, ...terms }, ...cells }): Cells => {
    return { ...terms, ...cells, Ticker: root, Expiration: expiration };
  });

const anyListed = anyTerms.map(({ root, expiration, ...terms }): Cells => {
  const named = { OptionTicker: root, UnderTicker: UNDERLYINGS[root] ?? root };
  return { ...terms, ...named, Expiration: expiration, Multiplier: 100n, ASID: 1110000000000001n };
});

const anyLake = fc.record({
  opt_tanq: fc.array(anyTick, { minLength: 5, maxLength: 40 }),
  opt_greeks_daily: fc.array(anyAnalytics, { maxLength: 20 }),
  opt_contr_sec_master: fc.array(anyListed, { maxLength: 12 }),
});
type AnyLake = Readonly<Record<string, readonly Cells[]>>;

const anyRules: fc.Arbitrary<readonly Rule[]> = fc.array(
  fc.record({
    startDate: fc.constantFrom('1900-01-01', '1900-01-01', '2025-06-18', TODAY, '2030-01-01'),
    endDate: fc.constant(null),
    universe: fc.uniqueArray(fc.constantFrom(...ROOTS, 'B.C', 'NOPE'), { maxLength: 3 }),
  }),
  // Windows of an account's rules for a dataset do not overlap.
  { maxLength: 1 },
);
const anyRuleSet = fc.record({
  opt_tanq: anyRules,
  opt_greeks_daily: anyRules,
  opt_contr_sec_master: anyRules,
});
type RuleSet = Readonly<Record<string, readonly Rule[]>>;

const WHEN = [
  ...DATES.map((date) => `date=${date}`),
  ...['2025-06-18T11:00', `${TODAY}T15:30`, `${TODAY}T18:00`].map((time) => `at=${time}`),
];
const CHOICES = ['', '&root=AAAW', '&call_put=P&strike.le=95'];
const ASKED = ['AAA', 'B.C', 'ZZ'].flatMap((underlying) =>
  WHEN.flatMap((when) => CHOICES.map((choice) => `underlying=${underlying}&${when}${choice}`)),
);

/** One whose accounts have rules, and one whose datasets have what they let through. */
let ruled: TestService;
let filtered: TestService;
beforeAll(async () => {
  [ruled, filtered] = await Promise.all([openTestService(), openTestService()]);
});
afterAll(() => Promise.all([ruled.close(), filtered.close()]));

async function publish(service: TestService, textId: string, rows: readonly Cells[]) {
  const dataset = service.dataset(textId);
  const cells = rows.map((row) => dataset.columns.map(({ name }) => row[name] ?? null));
  await publishRows(service, dataset, cells, 'replace-all');
}

async function keyWith(rules: RuleSet): Promise<string> {
  const { accountId, key } = await ruled.addAccount(crypto.randomUUID());
  for (const [textId, own] of Object.entries(rules)) {
    const { datasetId } = ruled.dataset(textId);
    for (const rule of own) {
      await writing(ruled.services.store).rules.add({ accountId, datasetId, ...rule });
    }
  }
  return key;
}

async function chainOf(service: TestService, query: string, key: string) {
  const url = `/v1/symbology/option-chain?${query}`;
  const answer = await service.get(url, { 'x-api-key': key });
  // Drops `sources`, the state of the datasets, from the comparison.
  const { sources: _, ...told } = answer.json();
  return { status: answer.statusCode, told };
}

/** Fields of a contract that come from ticks. */
const OF_TICKS = /^(bid|ask|last_trade_(price|size|time)|open_interest)/;

/** How often chains were told, of a contract at least, and refused. */
const found = { told: 0, withContracts: 0, refused: 0 };

async function expectEqualWorlds(
  lake: AnyLake,
  rules: RuleSet,
  asked: readonly string[],
): Promise<void> {
  const key = await keyWith(rules);
  for (const subject of SUBJECTS) {
    const rows = lake[subject.textId] ?? [];
    const own = rules[subject.textId] ?? [];
    const permitted = rows.filter((row) => isPermitted(subject, own, row as Row, TODAY));
    await publish(filtered, subject.textId, permitted);
  }
  for (const query of asked) {
    const mine = await chainOf(ruled, query, key);
    const all = await chainOf(filtered, query, filtered.key);
    if (mine.status === 200) {
      expect(mine, query).toEqual(all);
      found.told += 1;
      if (mine.told.contract_count > 0) found.withContracts += 1;
      continue;
    }
    expect([403, 422], JSON.stringify(mine.told)).toContain(mine.status);
    found.refused += 1;
    // A refusal hides nothing that could be read.
    const contracts: Record<string, unknown>[] = all.told.contracts ?? [];
    const hidden = contracts.flatMap((contract) =>
      Object.entries(contract).filter(([name, value]) => OF_TICKS.test(name) && value !== null),
    );
    expect([query, hidden]).toEqual([query, []]);
  }
}

it('chains tell nothing that the readable rows do not tell', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyLake,
      fc.array(fc.tuple(anyRuleSet, fc.subarray(ASKED, CHAINS)), {
        minLength: RULE_SETS,
        maxLength: RULE_SETS,
      }),
      async (lake, ruleSets) => {
        for (const [textId, rows] of Object.entries(lake)) await publish(ruled, textId, rows);
        for (const [rules, asked] of ruleSets) await expectEqualWorlds(lake, rules, asked);
      },
    ),
    { numRuns: LAKES },
  );
  expectCameAcross(found);
});
