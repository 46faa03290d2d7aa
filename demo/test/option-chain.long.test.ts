/**
 * Option chains over HTTP against a plain program's reading of the pages of the datasets that they
 * come from.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestService, type TestService } from '../../server/test/harness.ts';
import { publishBatches } from '../../server/test/publish-batches.ts';
import { writing } from '../../server/test/writing.ts';
import { AS_OF, generateTables } from './generated-market.ts';

const SIZE = { dailyDays: 45, minuteDays: 3, tickDays: 2, quoteBarDays: 2, activity: 0.1 };
const TEXT_IDS = ['opt_tanq', 'opt_contr_sec_master', 'opt_greeks_daily'] as const;
const DAY_BEFORE = '2026-10-16';
const CLOSE = `${AS_OF}T16:00:00.000000000-04:00`;
const LEFT_OUT = new Set('ABCFGNOT');

// biome-ignore lint/suspicious/noExplicitAny: answers are held to their schemas elsewhere
type Json = any;

let service: TestService;
let origin: string;
let ticks: Json[];
let greeks: Json[];
let master: Json[];

async function get(path: string, key = service.key) {
  const answer = await fetch(`${origin}/${path}`, { headers: { 'x-api-key': key } });
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Json };
}

async function chainOf(query: string, key = service.key): Promise<Json> {
  const { status, body } = await get(`symbology/option-chain?underlying=AVQX&${query}`, key);
  expect([status, status === 200 ? null : body]).toEqual([200, null]);
  return body;
}

/** All rows of a request, page by page. */
async function rowsOf(path: string): Promise<Json[]> {
  const rows: Json[] = [];
  for (let next: string | null = path; next !== null; ) {
    const { headers, body } = await get(next);
    rows.push(...body.data);
    const link: string | undefined = /<(.*)>/.exec(headers.get('link') ?? '')?.[1];
    next = link ? link.slice(origin.length + 1) : null;
  }
  return rows;
}

beforeAll(async () => {
  service = await openTestService();
  const tables = generateTables(3, AS_OF, SIZE, TEXT_IDS);
  for (const textId of TEXT_IDS) {
    const batches = async function* () {
      yield* tables.get(textId)?.batches ?? [];
    };
    const options = { dataset: service.dataset(textId), mode: 'replace-all' as const };
    await publishBatches(service.services.lake, {
      ...options,
      vendor: 'Synthetic',
      batches: batches(),
    });
  }
  await service.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = service.app.server.address() as { port: number };
  origin = `http://127.0.0.1:${port}/v1`;
  ticks = await rowsOf(`data/us-equity-opt/opt-tanq/${AS_OF}/AVQX`);
  const dates = `TradeDate.ge=2026-10-01&TradeDate.le=${AS_OF}`;
  greeks = await rowsOf(`data/us-equity-opt/opt-greeks-daily?Ticker=AVQX&${dates}`);
  master = await rowsOf('data/us-equity-opt-ref/opt-contr-sec-master?UnderTicker=AVQX');
});
afterAll(() => service.close());

/** The end of stock trading, from ticks of which none is at that moment. */
const beforeClose = (tick: Json) => tick.EventDateTime < CLOSE;

const keyOf = (root: string, expiration: string, strike: number, callPut: string) =>
  `${expiration} ${String(strike).padStart(10)} ${callPut} ${root}`;
const keyOfView = (view: Json) =>
  keyOf(view.root, view.expiration_date, view.strike, view.call_put);

/** The state of each contract after all ticks. */
function statesOf(seen: readonly Json[]): Map<string, Json> {
  const states = new Map<string, Json>();
  for (const tick of seen) {
    const key = keyOf(tick.Ticker, tick.ExpirationDate, tick.Strike, tick.CallPut);
    const state = states.get(key) ?? { bid: null, ask: null, trade: null, open: null };
    states.set(key, state);
    const told = { price: tick.Price, size: tick.Quantity, time: tick.EventDateTime };
    if (tick.Action === 'FQ NB') state[tick.Side === 'B' ? 'bid' : 'ask'] = told;
    if (tick.Action === 'T' && !LEFT_OUT.has(tick.ConditionCode)) state.trade = told;
    if (tick.Action === 'OI') state.open = tick.Quantity;
  }
  return states;
}

const shown = (price: Json, size: Json, time: Json) =>
  price === null ? null : { price, size, time };

function stateOfView(view: Json) {
  return {
    bid: shown(view.bid_price, view.bid_size, view.bid_time),
    ask: shown(view.ask_price, view.ask_size, view.ask_time),
    trade: shown(view.last_trade_price, view.last_trade_size, view.last_trade_time),
    open: view.open_interest,
  };
}

function expectStates(chain: Json, seen: readonly Json[]): void {
  const states = statesOf(seen);
  for (const view of chain.contracts) {
    const nothing = { bid: null, ask: null, trade: null, open: null };
    expect(stateOfView(view), keyOfView(view)).toEqual(states.get(keyOfView(view)) ?? nothing);
    states.delete(keyOfView(view));
  }
  expect([...states.keys()]).toEqual([]);
  const last = seen.at(-1);
  expect([chain.underlying_bid_price, chain.underlying_ask_price, chain.underlying_time]).toEqual([
    last?.UnderBidPrice ?? null,
    last?.UnderAskPrice ?? null,
    last?.EventDateTime ?? null,
  ]);
}

describe('the chain of a date', () => {
  it('has the last quotes, trades and open interest before the end of stock trading', async () => {
    const chain = await chainOf(`date=${AS_OF}`);
    expect(chain).toMatchObject({ underlying: 'AVQX', date: AS_OF, at: CLOSE });
    expect(chain.contracts.length).toBeGreaterThan(40);
    const seen = ticks.filter(beforeClose);
    expectStates(chain, seen);
    const told = ['bid_price', 'ask_price', 'last_trade_price', 'open_interest'];
    for (const name of told) {
      expect(chain.contracts.some((view: Json) => view[name] !== null)).toBe(true);
    }
  });

  it('has the quotes from which its greeks were computed, and those greeks', async () => {
    const chain = await chainOf(`date=${AS_OF}`);
    expect(chain.greeks_date).toBe(AS_OF);
    const rows = new Map(
      greeks
        .filter(({ TradeDate }) => TradeDate === AS_OF)
        .map((row) => [keyOf(row.Ticker, row.Expiration, row.Strike, row.CallPut), row]),
    );
    expect(rows.size).toBeGreaterThan(40);
    for (const view of chain.contracts) {
      const row = rows.get(keyOfView(view));
      expect(view, keyOfView(view)).toMatchObject({
        bid_price: row.LastBidPrice,
        ask_price: row.LastAskPrice,
        option_style: row.OptionStyle,
        implied_volatility: row.MidImpliedVol,
        theoretical_price: row.MidTheoPrice,
        ...{ delta: row.MidDelta, gamma: row.MidGamma, theta: row.MidTheta },
        ...{ vega: row.MidVega, rho: row.MidRho },
        implied_volatility_convergence: row.ImpliedVolConvergence,
      });
    }
  });

  it('has the terms of the contracts that are listed on it', async () => {
    const chain = await chainOf(`date=${AS_OF}`);
    const listed = master.filter(
      ({ FirstTradeDate, LastTradeDate }) => FirstTradeDate <= AS_OF && LastTradeDate >= AS_OF,
    );
    expect(chain.contracts.map(keyOfView)).toEqual(
      listed.map((row) => keyOf(row.OptionTicker, row.Expiration, row.Strike, row.CallPut)).sort(),
    );
    for (const view of chain.contracts) {
      const row = listed.find(({ OsiSymbol }) => OsiSymbol === view.osi_symbol);
      expect(view).toMatchObject({
        ...{ asid: row.ASID, settlement_type: row.SettlType, multiplier: row.Multiplier },
        ...{ is_weekly: row.IsWeekly === 'Y', option_style: row.OptionStyle },
        ...{ first_trade_date: row.FirstTradeDate, last_trade_date: row.LastTradeDate },
      });
    }
  });
});

/** The moment so many nanoseconds after 06:00 of the date. */
function momentAt(nanos: bigint): string {
  const start = Temporal.ZonedDateTime.from(`${AS_OF}T06:00:00[America/New_York]`);
  const instant = Temporal.Instant.fromEpochNanoseconds(start.epochNanoseconds + nanos);
  return instant.toString({ timeZone: 'America/New_York', fractionalSecondDigits: 9 });
}

describe('the chain of a moment', () => {
  it('has what its ticks have said up to then, that moment included', async () => {
    const times = fc.oneof(
      fc.bigInt({ min: 0n, max: 36_000_000_000_000n }).map(momentAt),
      fc.nat(ticks.length - 1).map((at) => ticks[at].EventDateTime as string),
    );
    await fc.assert(
      fc.asyncProperty(times, async (time) => {
        const chain = await chainOf(`at=${encodeURIComponent(time)}`);
        const seen = ticks.filter(({ EventDateTime }) => EventDateTime <= time);
        expectStates(chain, seen);
        const isClosed = time >= CLOSE;
        expect([chain.at, chain.greeks_date]).toEqual([time, isClosed ? AS_OF : DAY_BEFORE]);
      }),
      { numRuns: 25 },
    );
  });

  it('is read by the market, or by its offset', async () => {
    const [local, utc] = [`${AS_OF}T11:00`, `${AS_OF}T15:00:00Z`];
    expect(await chainOf(`at=${local}`)).toEqual(await chainOf(`at=${utc}`));
  });

  it('never has greeks that were not known by then', async () => {
    const chain = await chainOf(`at=${AS_OF}T15:59:59.999999999`);
    const rows = greeks.filter(({ TradeDate }) => TradeDate === DAY_BEFORE);
    const deltas = rows.map((row) => [
      keyOf(row.Ticker, row.Expiration, row.Strike, row.CallPut),
      row.MidDelta,
    ]);
    const known = new Map(deltas as [string, number][]);
    for (const view of chain.contracts) {
      expect(view.delta, keyOfView(view)).toBe(known.get(keyOfView(view)) ?? null);
    }
    const { greeks_date: first } = await chainOf(`at=${DAY_BEFORE}T11:00`);
    expect(first).toBeNull();
  });
});

describe('filters and pages', () => {
  it('leave the contracts that they say', async () => {
    const { contracts: all } = await chainOf(`date=${AS_OF}`);
    const strikes = all.map(({ strike }: Json) => strike).toSorted((a: number, b: number) => a - b);
    const [low, high] = [strikes[20], strikes[40]];
    const expiration = all[20].expiration_date;
    const cases: [string, (view: Json) => boolean][] = [
      ['call_put=P', (view) => view.call_put === 'P'],
      [`expiration=${expiration}`, (view) => view.expiration_date === expiration],
      [`expiration.ge=${expiration}`, (view) => view.expiration_date >= expiration],
      [`expiration.le=${expiration}`, (view) => view.expiration_date <= expiration],
      [`strike=${low}`, (view) => view.strike === low],
      [
        `strike.ge=${low}&strike.le=${high}&call_put=C`,
        (view) => view.strike >= low && view.strike <= high && view.call_put === 'C',
      ],
      ['strike.ge=1&strike=0.5', () => false],
      ['root=AVQX', () => true],
    ];
    for (const [query, isWanted] of cases) {
      const chain = await chainOf(`date=${AS_OF}&${query}`);
      const wanted = all.filter(isWanted);
      expect(chain.contracts, query).toEqual(wanted);
      expect(chain.contract_count).toBe(wanted.length);
      expect(chain.underlying_time).not.toBeNull();
    }
  });

  it('follow one another to the whole chain, from the versions of the first page', async () => {
    const first = `underlying=AVQX&date=${AS_OF}&limit=17`;
    const whole = await chainOf(`date=${AS_OF}`);
    const views: Json[] = [];
    let next: string | null = `symbology/option-chain?${first}`;
    for (let pageCount = 0; next !== null; pageCount++) {
      const { headers, body } = await get(next);
      views.push(...body.contracts);
      expect(body).toMatchObject({
        contract_count: whole.contract_count,
        expirations: whole.expirations,
      });
      const link: string | undefined = /<(.*)>/.exec(headers.get('link') ?? '')?.[1];
      expect(link === undefined).toBe(body.pagination.next_offset === null);
      next = link ? link.slice(origin.length + 1) : null;
      // The next pages have to be of what was there before.
      if (pageCount === 0) await republish();
    }
    expect(views).toEqual(whole.contracts);
    const { contracts: now } = await chainOf(`date=${AS_OF}`);
    expect(now.every((view: Json) => view.bid_price === null)).toBe(true);
    const then = await chainOf(`date=${AS_OF}&dataset_version=1&greeks_version=1`);
    expect(then.contracts).toEqual(whole.contracts);
  });

  /** Ticks of another root alone. */
  async function republish(): Promise<void> {
    const { columns } = service.dataset('opt_tanq');
    const cells: Record<string, string | number | bigint> = {
      ...{ TradeDate: AS_OF, Ticker: 'BZOQ', CallPut: 'C', Strike: 100 },
      ...{ ExpirationDate: '2026-11-20', Action: 'OI', Quantity: 5n },
      EventDateTime: BigInt(Date.parse(`${AS_OF}T12:00:00Z`)) * 1_000_000n,
    };
    await service.publish('opt_tanq', [columns.map(({ name }) => cells[name] ?? null)]);
  }
});

describe('the rules of an account', () => {
  async function keyWith(textIds: readonly string[], universe: readonly string[] = []) {
    const { accountId, key } = await service.addAccount(crypto.randomUUID());
    for (const textId of textIds) {
      const { datasetId } = service.dataset(textId);
      const window = { startDate: '1900-01-01', endDate: null };
      const rule = { accountId, datasetId, ...window, universe };
      await writing(service.services.store).rules.add(rule);
    }
    return key;
  }
  const THEN = `date=${AS_OF}&dataset_version=1`;
  const statesOfSources = ({ sources }: Json) => sources.map(({ state }: Json) => state);

  async function scannedBy(key: string): Promise<number> {
    return (await get('account/my/quotas', key)).body.quotas_usage.month.data_scanned;
  }

  it('leave the fields of datasets empty that it may not read, and say so', async () => {
    const whole = await chainOf(THEN);
    expect(statesOfSources(whole)).toEqual(['read', 'read', 'read']);
    const key = await keyWith(['opt_tanq']);
    const bare = await chainOf(THEN, key);
    expect(statesOfSources(bare)).toEqual(['read', 'forbidden', 'forbidden']);
    expect(bare.greeks_date).toBeNull();
    for (const [i, view] of bare.contracts.entries()) {
      const { osi_symbol, bid_price, ask_price, open_interest } = whole.contracts[i];
      expect(view).toMatchObject({ osi_symbol, bid_price, ask_price, open_interest });
      expect(view).toMatchObject({ multiplier: null, asid: null, option_style: null, delta: null });
    }
  });

  it('count all that is read as scanned', async () => {
    const [all, bare] = [await keyWith(TEXT_IDS), await keyWith(['opt_tanq'])];
    for (const key of [all, bare]) await chainOf(THEN, key);
    expect(await scannedBy(bare)).toBeGreaterThan(0);
    expect(await scannedBy(all)).toBeGreaterThan(await scannedBy(bare));
  });

  it('refuse a chain without ticks, or of an underlying outside of the universe', async () => {
    const ask = (key: string) => get(`symbology/option-chain?underlying=AVQX&${THEN}`, key);
    expect((await ask(await keyWith(['opt_contr_sec_master']))).status).toBe(403);
    expect((await ask(await keyWith(TEXT_IDS, ['BZOQ']))).status).toBe(403);
    expect((await ask(await keyWith(TEXT_IDS, ['AVQX']))).status).toBe(200);
  });
});

it.each([
  ['', 'underlying', "'underlying' is missing"],
  ['underlying=AVQX', 'date', "'date' is missing; give it or 'at'"],
  [`underlying=AVQX&date=${AS_OF}&at=${AS_OF}T11:00`, 'at', 'not both'],
  [`underlying=AVQX&at=${AS_OF}`, 'at', 'should be a time such as 2026-10-16T15:30:00'],
  ['underlying=AVQX&date=2026-02-30', 'date', 'should be a calendar date'],
  ['underlying=AVQX&date=2030-01-02', 'date', 'outside of the allowed range'],
  ['underlying=AVQX&at=2030-01-02T11:00', 'at', 'outside of the allowed range'],
  [`underlying=AVQX&date=${AS_OF}&strike=ten`, 'strike', 'should be a strike price in dollars'],
  [`underlying=AVQX&date=${AS_OF}&call_put=X`, 'call_put', 'should be one of C, P'],
  [`underlying=AVQX&date=${AS_OF}&root=SPX`, 'root', 'should be one of those of AVQX: AVQX'],
  [`underlying=AVQX&date=${AS_OF}&limit=5001`, 'limit', 'should be a whole number from 1 to 5000'],
  [
    `underlying=AVQX&date=${AS_OF}&strike.ge=20&strike.le=10`,
    'strike.ge',
    "should be no more than 'strike.le', 10",
  ],
  [`underlying=AVQX&date=${AS_OF}&as_of=yesterday`, 'as_of', 'should be a time'],
])('refuses %s', async (query, name, complaint) => {
  const { status, body } = await get(`symbology/option-chain?${query}`);
  expect([status, body.detail?.[0]?.loc]).toEqual([422, ['query', name]]);
  expect(body.detail[0].msg).toContain(complaint);
});

it('reads no version that has never been published', async () => {
  for (const name of ['dataset_version', 'contracts_version', 'greeks_version']) {
    const { status } = await get(`symbology/option-chain?underlying=AVQX&date=${AS_OF}&${name}=99`);
    expect([name, status]).toEqual([name, 404]);
  }
});
