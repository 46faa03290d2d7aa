/**
 * Ten questions about a small market whose answers are known, asked through tools with the
 * protocol's own client by a key with rules and quotas: no answer has a row that is wrong, made up
 * or not the key's, and all of them fit the budget of a language model.
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CellValue } from '../../src/engine/columns.ts';
import { UNLIMITED } from '../../src/store/accounts.ts';
import type { TestService } from '../harness.ts';
import { liftTimeLimits } from '../no-time-limits.ts';
import { writing } from '../writing.ts';
import { openContractService } from './fixture.ts';

liftTimeLimits();

/** Fewer than 4,000 tokens, even of digits alone. */
const ANSWER_CHARACTERS = 8500;
/** As many as a careful agent needs: a refusal by the quota would be a wrong answer. */
const REQUESTS = 30;
const DAILY = 'eq_daily_ohlc';
const ALPHA = 1010000000000001n;
const BETA = 1010000000000002n;
const DAYS = 60;
const CORRECTED_DAY = 58;
const CORRECTED_VOLUME = 5900;

/** The sixtieth day in a row is one that the fixture has, too. */
const dateOf = (day: number) => new Date(Date.UTC(2025, 3, 20 + day)).toISOString().slice(0, 10);

/** Opens a dollar higher each day; the volume is the number of the day, but for a corrected one. */
function dailyRows(ticker: string, asid: bigint, first: number, corrected?: number): CellValue[][] {
  return Array.from({ length: DAYS }, (_, day) => {
    const open = first + day;
    const volume = day === corrected ? CORRECTED_VOLUME : day + 1;
    const prices = [open, open + 2, open - 2, open + 1];
    return [dateOf(day), ticker, asid, ...prices, volume, 0, volume, 0, open, open];
  });
}

let service: TestService;
let client: Client;

beforeAll(async () => {
  service = await openContractService();
  const beta = dailyRows('BBB', BETA, 20);
  await service.publish(DAILY, [...dailyRows('AAA', ALPHA, 100), ...beta]);
  await service.publish(DAILY, [...dailyRows('AAA', ALPHA, 100, CORRECTED_DAY), ...beta]);
  const { accountId, key } = await service.addAccount('an agent');
  const store = writing(service.services.store);
  const month = { ...UNLIMITED.month, requests: REQUESTS };
  await store.accounts.update(accountId, { limits: { ...UNLIMITED, month } });
  const terms = { accountId, startDate: '2025-05-01', endDate: null, columns: null };
  for (const textId of [DAILY, 'eq_taq', 'eq_trading_halts', 'eq_sec_master']) {
    const universe = textId === DAILY ? ['AAA'] : [];
    await store.rules.add({ ...terms, datasetId: service.dataset(textId).datasetId, universe });
  }
  const origin = await service.app.listen({ host: '127.0.0.1', port: 0 });
  client = new Client({ name: 'agent', version: '1' });
  const requestInit = { headers: { 'X-API-KEY': key } };
  const url = new URL(`${origin}/v1/mcp`);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
});
afterAll(async () => {
  await client.close();
  await service.close();
});

// biome-ignore lint/suspicious/noExplicitAny: the JSON of any tool
type Answer = any;
type Call = readonly [name: string, args: Record<string, unknown>];

async function ask([name, args]: Call): Promise<Answer> {
  const { content } = await client.callTool({ name, arguments: { ...args } });
  const [block] = content;
  if (block?.type !== 'text') throw new Error(`${name} answered no text`);
  expect(block.text.length).toBeLessThanOrEqual(ANSWER_CHARACTERS);
  return JSON.parse(block.text);
}

const daily = (parameters: Record<string, unknown>, more = {}) => ({
  dataset: DAILY,
  parameters,
  ...more,
});
const TICKS = { dataset: 'eq_taq', trade_date: '2025-06-18', identifier: 'AAA' };
const TRADES = { ...TICKS, parameters: { 'EventType.like': 'TRADE*' } };

interface Question {
  readonly text: string;
  readonly call: Call;
  readonly told: (answer: Answer) => unknown;
  readonly expected: unknown;
}

const QUESTIONS: readonly Question[] = [
  {
    text: 'Which daily prices may I read, and since when?',
    call: ['describe_dataset', { dataset: DAILY }],
    told: ({ may_read, rules }) => [
      may_read,
      rules.map((rule: Answer) => [rule.start_date, rule.universe_identifiers]),
    ],
    expected: [true, [['2025-05-01', ['AAA']]]],
  },
  {
    text: 'Which company was AAO in 2010, and what is it called now?',
    call: ['resolve_symbols', { symbols: 'AAO', start: '2010-01-01', end: '2010-12-31' }],
    told: ({ resolved: [{ intervals }] }) =>
      intervals.map((each: Answer) => [each.name, each.asid, each.next.ticker]),
    expected: [['Alpha "A" Corporation', Number(ALPHA), 'AAA']],
  },
  {
    text: 'At what price did AAA open and close on 18 June 2025?',
    call: [
      'query',
      daily({ Ticker: 'AAA', TradeDate: '2025-06-18', columns: 'Ticker,OpenPrice,ClosePrice' }),
    ],
    told: ({ rows }) => rows,
    expected: [['AAA', 159, 160]],
  },
  {
    text: 'On which day since May was AAA dearest?',
    call: ['query', daily({ sort: '-HighPrice', columns: 'TradeDate,HighPrice' }, { limit: 1 })],
    told: ({ rows }) => rows,
    expected: [['2025-06-18', 161]],
  },
  {
    text: 'How much of what I may read was traded in each month?',
    call: ['aggregate', daily({ interval: '1mo' }, { select: 'count,sum(DailyVolume)' })],
    told: ({ rows }) => rows,
    // The sum of 12 to 42, and that of 43 to 60 with 5,900 in place of 59.
    expected: [
      ['2025-05-01', '31', '837'],
      ['2025-06-01', '18', '6768'],
    ],
  },
  {
    text: 'How many shares of AAA traded on 18 June, in how many trades, at which prices?',
    call: ['aggregate', { ...TRADES, select: 'count,sum(Quantity),min(Price),max(Price)' }],
    told: ({ rows }) => rows,
    expected: [['2', '107', 146.19, 146.2]],
  },
  {
    text: 'Which volume was corrected last, and to what?',
    call: ['changes', daily({ columns: 'TradeDate,Ticker,DailyVolume' }, { from: 2, to: 3 })],
    told: ({ rows }) => rows,
    expected: [
      ['removed', '2025-06-17', 'AAA', '59'],
      ['added', '2025-06-17', 'AAA', '5900'],
    ],
  },
  {
    text: 'Why was BBB halted on 18 June?',
    call: ['query', { dataset: 'eq_trading_halts', parameters: { Ticker: 'BBB' } }],
    told: ({ rows, columns }) =>
      columns.flatMap(({ name, is_text }: Answer, at: number) =>
        name.includes('Reason') ? [[rows[0][at], is_text]] : [],
      ),
    expected: [['LUDP', true]],
  },
  {
    text: 'What did BBB cost, which is not mine to know?',
    call: ['query', daily({ Ticker: 'BBB' })],
    told: ({ status, rows, next }) => [status, rows, next.includes('describe_dataset')],
    expected: [403, undefined, true],
  },
  {
    text: 'What did a company that does not exist cost?',
    call: ['query', daily({ 'Ticker.in': 'AAA,NOPE', TradeDate: '2025-06-18', columns: 'Ticker' })],
    told: ({ rows, missing }) => [rows, missing],
    expected: [[['AAA']], '1 of 2: NOPE'],
  },
];

it.each(QUESTIONS)('$text', async ({ call, told, expected }) => {
  expect(told(await ask(call))).toEqual(expected);
});
