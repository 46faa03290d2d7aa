/**
 * Rows expected of an imported LEAN folder, by a plain program that shares nothing with the
 * importer: per dataset, the filled columns, and the rows in natural order as lines of text.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { unzip } from './zip-file.ts';

export interface Expectation {
  readonly columns: readonly string[];
  lines(root: string): Generator<string>;
}

type Fields = string[];
const join = (cells: readonly (string | number)[]) => cells.join('|');

/** The members of a zip as lines of fields. */
function tables(file: string): [string, Fields[]][] {
  const rows = (text: string) => text.split(/\r?\n/).filter((line) => line !== '');
  return [...unzip(file)].map(([name, text]) => [name, rows(text).map((line) => line.split(','))]);
}

function table(file: string): Fields[] {
  return tables(file).flatMap(([, rows]) => rows);
}

interface DayFile {
  readonly file: string;
  readonly symbol: string;
  readonly date: string;
}

const dashed = (date: string) => `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6, 8)}`;

/** Files such as `<folder>/<symbol>/20131007_<ending>`, by date and symbol. */
function dayFiles(folder: string, ending: string): DayFile[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => ({
      file: path.join(folder, name),
      symbol: path.dirname(name).toUpperCase(),
      date: dashed(path.basename(name)),
    }))
    .sort((a, b) => (`${a.date}${a.symbol}` < `${b.date}${b.symbol}` ? -1 : 1));
}

/** Dollars of ten-thousandths, by moving the point in the text. */
function dollars(text: string): string {
  if (text === '') return '';
  const digits = text.padStart(5, '0');
  return `${digits.slice(0, -4)}.${digits.slice(-4)}`.replace(/\.?0+$/, '');
}

/** Price as written, without the zeros that do not count. */
const plain = (text: string) => (text.includes('.') ? text.replace(/\.?0+$/, '') : text);

/** New York's midnight, read off the runtime's own formatting of noon. */
function midnightMs(date: string): number {
  const noon = new Date(`${date}T12:00:00Z`);
  const format = { timeZone: 'America/New_York', hour: '2-digit', hourCycle: 'h23' } as const;
  const hour = Number(new Intl.DateTimeFormat('en-US', format).format(noon));
  return noon.getTime() - hour * 3_600_000;
}

const chicagoFormat = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Chicago' });
const chicagoDates = new Map<number, string>();
function chicagoDate(ms: number): string {
  const hour = Math.floor(ms / 3_600_000);
  if (!chicagoDates.has(hour)) chicagoDates.set(hour, chicagoFormat.format(hour * 3_600_000));
  return chicagoDates.get(hour) as string;
}

const nanos = (ms: number) => `${ms}000000`;

const VENUES: Record<string, string> = {
  B: 'NASDAQ BX',
  C: 'NSE',
  D: 'FINRA',
  J: 'EDGA',
  K: 'EDGX',
  M: 'CSE',
  N: 'NYSE',
  P: 'ARCA',
  Q: 'NASDAQ',
  W: 'CBOE',
  X: 'NASDAQ PSX',
  Y: 'BATS Y',
  Z: 'BATS',
};

interface Timed {
  readonly ms: number;
  readonly line: string;
}

function tradeTicks({ file, date, symbol }: DayFile): Timed[] {
  const midnight = midnightMs(date);
  return table(file).map(([time, price, size, venue, mask]) => {
    const ms = midnight + Number(time);
    const bits = BigInt(`0x${mask}`);
    const cells = [date, nanos(ms), 'TRADE', symbol, dollars(price!), size!, VENUES[venue!]!];
    return { ms, line: join([...cells, `${bits}`]) };
  });
}

function quoteTicks({ file, date, symbol }: DayFile): Timed[] {
  const midnight = midnightMs(date);
  return table(file).map(([time, bid, bidSize, ask, askSize, venue, mask]) => {
    const ms = midnight + Number(time);
    const [type, price, size] =
      bid === '0' ? ['QUOTE ASK', ask, askSize] : ['QUOTE BID', bid, bidSize];
    const cells = [date, nanos(ms), type!, symbol, dollars(price!), size!, VENUES[venue!]!];
    return { ms, line: join([...cells, Number.parseInt(mask!, 16)]) };
  });
}

const TICK_COLUMNS =
  'TradeDate EventDateTime EventType Ticker Price Quantity Exchange ConditionCode'.split(' ');

const equityTicks = (withQuotes: boolean): Expectation => ({
  columns: TICK_COLUMNS,
  *lines(root) {
    const quotes = dayFiles(path.join(root, 'equity/usa/tick'), '_quote.zip');
    for (const day of dayFiles(path.join(root, 'equity/usa/tick'), '_trade.zip')) {
      const events = tradeTicks(day);
      const quoted = quotes.find((q) => q.date === day.date && q.symbol === day.symbol);
      if (withQuotes && quoted) for (const event of quoteTicks(quoted)) events.push(event);
      events.sort((a, b) => a.ms - b.ms);
      for (const { line } of events) yield line;
    }
  },
});

const minuteTrades: Expectation = {
  columns:
    'TradeDate BarDateTime Ticker FirstTradePrice HighTradePrice LowTradePrice LastTradePrice Volume'.split(
      ' ',
    ),
  *lines(root) {
    for (const day of dayFiles(path.join(root, 'equity/usa/minute'), '_trade.zip')) {
      for (const [time, open, high, low, close, volume] of table(day.file)) {
        const at = nanos(midnightMs(day.date) + Number(time));
        const prices = [open, high, low, close].map((price) => dollars(price!));
        yield join([day.date, at, day.symbol, ...prices, volume!]);
      }
    }
  },
};

/** Open, high, low, close and size of both sides; a size without a price says nothing. */
function quoteCells(fields: Fields | undefined, price: (text: string) => string): string[] {
  if (!fields) return Array(10).fill('');
  const cells = fields.slice(1).map((text, i) => (i % 5 === 4 ? text : price(text)));
  return cells.map((text, i) => (i % 5 === 4 && cells[i - 1] === '' ? '' : text));
}

const SIDE_COLUMNS = (side: string) =>
  ['Open', 'High', 'Low', 'Close']
    .map((moment) => `${moment}${side}Price`)
    .concat(`Close${side}Size`);

const byTime = (rows: Fields[]) => new Map(rows.map((fields) => [Number(fields[0]), fields]));

const minuteBars: Expectation = {
  columns: [
    ...'TradeDate BarDateTime Ticker FirstTradePrice HighTradePrice LowTradePrice LastTradePrice'.split(
      ' ',
    ),
    ...SIDE_COLUMNS('Bid'),
    ...SIDE_COLUMNS('Ask'),
  ],
  *lines(root) {
    const folder = path.join(root, 'equity/usa/minute');
    const trades = dayFiles(folder, '_trade.zip');
    const quotes = dayFiles(folder, '_quote.zip');
    const key = ({ date, symbol }: DayFile) => `${date} ${symbol}`;
    for (const day of [...new Set([...trades, ...quotes].map(key))].sort()) {
      const [date, symbol] = day.split(' ') as [string, string];
      const rowsOf = (files: DayFile[]) =>
        byTime(files.filter((file) => key(file) === day).flatMap(({ file }) => table(file)));
      const tradeAt = rowsOf(trades);
      const quoteAt = rowsOf(quotes);
      for (const time of [...new Set([...tradeAt.keys(), ...quoteAt.keys()])].sort(
        (a, b) => a - b,
      )) {
        const trade = tradeAt.get(time)?.slice(1, 5).map(dollars) ?? ['', '', '', ''];
        const at = nanos(midnightMs(date) + time);
        yield join([date, at, symbol, ...trade, ...quoteCells(quoteAt.get(time), dollars)]);
      }
    }
  },
};

const dailyBars: Expectation = {
  columns: 'TradeDate Ticker OpenPrice HighPrice LowPrice ClosePrice MarketHoursVolume'.split(' '),
  *lines(root) {
    const folder = path.join(root, 'equity/usa/daily');
    const rows = readdirSync(folder).flatMap((name) => {
      const ticker = name.replace('.zip', '').toUpperCase();
      return table(path.join(folder, name)).map(([date, ...cells]) => {
        const prices = cells.slice(0, 4).map(dollars);
        return join([dashed(date!), ticker, ...prices, cells[4]!]);
      });
    });
    // A ticker sorts before a longer one that begins with it; the bar would sort behind.
    const key = (line: string) => line.replaceAll('|', '\t');
    yield* rows.sort((a, b) => (key(a) < key(b) ? -1 : 1));
  },
};

function optionCells(name: string): string[] {
  const [right, strike, expiry] = name.replace('.csv', '').split('_').slice(-3);
  return [right === 'call' ? 'C' : 'P', dollars(strike!), dashed(expiry!)];
}

const compareOptions = (a: (string | number)[], b: (string | number)[]) =>
  [0, 5, 4, 3, 1]
    .map((i) =>
      i === 4 ? Number(a[i]) - Number(b[i]) : `${a[i]}` < `${b[i]}` ? -1 : a[i] === b[i] ? 0 : 1,
    )
    .find((order) => order !== 0) ?? 0;

const optionBars: Expectation = {
  columns:
    'TradeDate BarDateTime Ticker CallPut Strike ExpirationDate OpenTradePrice HighTradePrice LowTradePrice CloseTradePrice UnderOpenBidPrice UnderOpenAskPrice UnderCloseBidPrice UnderCloseAskPrice Volume'.split(
      ' ',
    ),
  *lines(root) {
    const quotes = dayFiles(path.join(root, 'equity/usa/minute'), '_quote.zip');
    const rows: string[][] = [];
    for (const day of dayFiles(path.join(root, 'option/usa/minute'), '_trade_american.zip')) {
      const under = quotes.find((q) => q.symbol === day.symbol && q.date === day.date);
      const quoteAt = byTime(under ? table(under.file) : []);
      for (const [name, bars] of tables(day.file)) {
        for (const [time, open, high, low, close, volume] of bars) {
          let minute = Number(time);
          while (minute >= 0 && !quoteAt.has(minute)) minute -= 60_000;
          const q = quoteCells(quoteAt.get(minute), dollars);
          const opening = minute === Number(time) ? [q[0]!, q[5]!] : [q[3]!, q[8]!];
          rows.push([
            day.date,
            nanos(midnightMs(day.date) + Number(time)),
            day.symbol,
            ...optionCells(name),
            ...[open, high, low, close].map((price) => dollars(price!)),
            ...opening,
            q[3]!,
            q[8]!,
            volume!,
          ]);
        }
      }
    }
    for (const row of rows.sort(compareOptions)) yield join(row);
  },
};

const openInterest: Expectation = {
  columns:
    'TradeDate EventDateTime Ticker CallPut Strike ExpirationDate EventType Action Quantity'.split(
      ' ',
    ),
  *lines(root) {
    for (const day of dayFiles(
      path.join(root, 'option/usa/minute'),
      '_openinterest_american.zip',
    )) {
      const rows = tables(day.file).flatMap(([name, lines]) =>
        lines.map(([time, contracts]): Timed => {
          const option = optionCells(name);
          const ms = midnightMs(day.date) + Number(time);
          const code = option[0] === 'C' ? 34 : 2;
          const cells = [day.date, nanos(ms), day.symbol, ...option, code, 'OI', contracts!];
          return { ms, line: join(cells) };
        }),
      );
      for (const { line } of rows.sort((a, b) => a.ms - b.ms)) yield line;
    }
  },
};

const MONTHS = 'FGHJKMNQUVXZ';

/** Rows of futures zips, which count in UTC: by Chicago date, contract and time. */
function futuresRows(
  root: string,
  folders: readonly string[],
  ending: string,
): { date: string; at: string; ticker: string; base: string; fields: Fields }[] {
  const rows = folders.flatMap((folder) =>
    dayFiles(path.join(root, folder), ending).flatMap(({ file, symbol, date }) =>
      tables(file).flatMap(([name, lines]) => {
        const month = name.slice(-10, -4);
        const ticker = `${symbol}${MONTHS[Number(month.slice(4)) - 1]}${month[3]}`;
        return lines.map((fields) => {
          const ms = Date.parse(`${date}T00:00:00Z`) + Number(fields[0]);
          return { date: chicagoDate(ms), at: nanos(ms), ticker, base: symbol, fields };
        });
      }),
    ),
  );
  const keyed = rows.map((row) => ({ key: join([row.date, row.ticker, row.at]), row }));
  keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return keyed.map(({ row }) => row);
}

const MINUTE_FOLDERS = ['future/cme/minute', 'future/comex/minute'];

const futuresTicks: Expectation = {
  columns: 'TradeDate EventDateTime Ticker BaseSymbol EventType Price Quantity'.split(' '),
  *lines(root) {
    const rows = futuresRows(root, ['future/comex/tick'], '_trade.zip');
    for (const { date, at, ticker, base, fields } of rows) {
      yield join([date, at, ticker, base, 'TRADE', plain(fields[1]!), fields[2]!]);
    }
  },
};

const futuresOpenInterest: Expectation = {
  columns: 'TradeDate EventDateTime Ticker BaseSymbol EventType Quantity TypeMask'.split(' '),
  *lines(root) {
    for (const row of futuresRows(root, MINUTE_FOLDERS, '_openinterest.zip')) {
      const { date, at, ticker, base, fields } = row;
      yield join([date, at, ticker, base, 'OPEN INTEREST', fields[1]!, '43']);
    }
  },
};

const futuresTrades: Expectation = {
  columns:
    'TradeDate BarDateTime Ticker BaseSymbol OpenPrice HighPrice LowPrice ClosePrice TotalQuantity'.split(
      ' ',
    ),
  *lines(root) {
    for (const row of futuresRows(root, MINUTE_FOLDERS, '_trade.zip')) {
      const prices = row.fields.slice(1, 5).map(plain);
      yield join([row.date, row.at, row.ticker, row.base, ...prices, row.fields[5]!]);
    }
  },
};

const futuresBars: Expectation = {
  columns: [
    ...'TradeDate BarDateTime Ticker BaseSymbol OpenTradePrice HighTradePrice LowTradePrice CloseTradePrice Volume'.split(
      ' ',
    ),
    ...SIDE_COLUMNS('Bid'),
    ...SIDE_COLUMNS('Ask'),
  ],
  *lines(root) {
    const cells = new Map<string, { trade: string[]; quote: string[] }>();
    const slot = (row: { date: string; at: string; ticker: string; base: string }) => {
      const key = join([row.date, row.ticker, row.at, row.base]);
      if (!cells.has(key)) {
        cells.set(key, { trade: ['', '', '', '', '0'], quote: quoteCells(undefined, plain) });
      }
      return cells.get(key)!;
    };
    for (const row of futuresRows(root, MINUTE_FOLDERS, '_trade.zip')) {
      slot(row).trade = [...row.fields.slice(1, 5).map(plain), row.fields[5]!];
    }
    for (const row of futuresRows(root, MINUTE_FOLDERS, '_quote.zip')) {
      slot(row).quote = quoteCells(row.fields, plain);
    }
    for (const key of [...cells.keys()].sort()) {
      const [date, ticker, at, base] = key.split('|') as [string, string, string, string];
      const { trade, quote } = cells.get(key)!;
      yield join([date, at, ticker, base, ...trade, ...quote]);
    }
  },
};

const holidays: Expectation = {
  columns: ['Date'],
  *lines(root) {
    const file = path.join(root, 'market-hours/market-hours-database.json');
    const listed: string[] = JSON.parse(readFileSync(file, 'utf8')).entries['Equity-usa-[*]']
      .holidays;
    const dates = listed.map((text) => new Date(`${text} UTC`));
    const weekdays = dates.filter((date) => date.getUTCDay() !== 0 && date.getUTCDay() !== 6);
    yield* new Set(weekdays.map((date) => date.toISOString().slice(0, 10)).sort());
  },
};

/** The company of a ticker on a day: its map file's name, or the ticker if no map file has it. */
export function companies(root: string): (ticker: string, date: string) => string {
  const known = new Map<string, string>();
  const folder = path.join(root, 'equity/usa/map_files');
  const lines = readdirSync(folder).flatMap((name) =>
    readFileSync(path.join(folder, name), 'utf8')
      .trim()
      .split(/\r?\n/)
      .map((line, at, all) => {
        const [date, ticker] = line.split(',') as [string, string];
        const after = all[at - 1]?.split(',')[0] ?? '';
        // The second line's period has the day of the first one in it.
        return {
          name,
          ticker: ticker.toUpperCase(),
          date,
          after,
          isSecond: at === 1,
          isFirst: at === 0,
        };
      }),
  );
  const find = (ticker: string, dashedDate: string) => {
    const day = dashedDate.replaceAll('-', '');
    const line = lines.find(
      (each) =>
        !each.isFirst &&
        each.ticker === ticker &&
        (each.isSecond ? each.after <= day : each.after < day) &&
        day <= each.date,
    );
    return line?.name ?? ticker;
  };
  return (ticker, date) => {
    const key = `${ticker} ${date}`;
    const company = known.get(key) ?? find(ticker, date);
    known.set(key, company);
    return company;
  };
}

/** By text id. Ticker histories and factors are tested by what they mean instead. */
export const EXPECTATIONS: Readonly<Record<string, Expectation>> = {
  eq_trades: equityTicks(false),
  eq_taq: equityTicks(true),
  eq_trades_1min_ind_std: minuteTrades,
  eq_taq_1min_ind_std: minuteBars,
  eq_daily_ohlc: dailyBars,
  opt_trades_1min: optionBars,
  opt_tanq: openInterest,
  fut_taq: futuresOpenInterest,
  fut_trades: futuresTicks,
  fut_trades_1min: futuresTrades,
  fut_taq_1min: futuresBars,
  eq_market_holidays: holidays,
};
