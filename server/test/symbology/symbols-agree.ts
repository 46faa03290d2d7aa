/** Holds what is told of tickers to the rows themselves, which say whose they are. */
import { expect } from 'vitest';
import type { TestService } from '../harness.ts';

const DAILY = '/v1/data/us-equity/eq-daily-ohlc';
const LONGEST = 'period=90Y&limit=10000';

interface DailyRow {
  readonly TradeDate: string;
  readonly ASID: number | null;
}

interface Interval {
  readonly start_date: string;
  readonly end_date: string | null;
  readonly asid: number | null;
}

const isOn = (date: string, start: string, end: string | null) =>
  start <= date && (end === null || date <= end);

/** `TICKER ID START/END, …` */
function usesOf(header: unknown): Interval[] {
  if (header === undefined) return [];
  return String(header)
    .split(', ')
    .map((entry) => {
      const [, id = '', dates = ''] = entry.split(' ');
      const [start_date = '', end] = dates.split('/');
      return { start_date, end_date: end === '..' ? null : `${end}`, asid: Number(id) };
    });
}

async function rowsOf(service: TestService, ticker: string) {
  const rows: DailyRow[] = [];
  let headers: Readonly<Record<string, unknown>> = {};
  for (let offset: number | null = 0; offset !== null; ) {
    const url = `${DAILY}?Ticker=${ticker}&columns=TradeDate,ASID&${LONGEST}&offset=${offset}`;
    const answer = await service.get(url);
    expect(answer.statusCode, answer.body).toBe(200);
    const { data, pagination } = answer.json();
    rows.push(...data);
    headers = answer.headers;
    offset = pagination.next_offset;
  }
  return { rows: rows.filter(({ ASID }) => ASID !== null), header: headers['x-symbols'] };
}

/**
 * Checks each ticker: its rows belong to the company it meant on their dates, and X-Symbols names
 * the companies if there are several. Returns the tickers for which X-Symbols was sent.
 */
export async function checkTickers(
  service: TestService,
  tickers: readonly string[],
): Promise<string[]> {
  const told: string[] = [];
  for (const ticker of tickers) {
    const { rows, header } = await rowsOf(service, ticker);
    const answer = await service.get(`/v1/symbology/resolve?symbols=${ticker}`);
    const intervals: Interval[] = answer.json().resolved[0]?.intervals ?? [];
    for (const { TradeDate, ASID } of rows) {
      const own = intervals.filter((each) => isOn(TradeDate, each.start_date, each.end_date));
      expect(new Set(own.map(({ asid }) => asid)), `${ticker} ${TradeDate}`).toEqual(
        new Set([ASID]),
      );
    }
    const uses = usesOf(header);
    if (uses.length > 0) told.push(ticker);
    const companies = new Set(rows.map((row) => row.ASID));
    if (companies.size < 2) continue;
    for (const { TradeDate, ASID } of rows) {
      const own = uses.filter((each) => isOn(TradeDate, each.start_date, each.end_date));
      expect(
        own.map(({ asid }) => asid),
        `${ticker} ${TradeDate}`,
      ).toEqual([ASID]);
    }
  }
  return told;
}
