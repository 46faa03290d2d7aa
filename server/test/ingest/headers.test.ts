import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { leftovers, newFolder, publishedRows, runCommand } from '../command-line/run-command.ts';
import { connectToDuckDB } from '../duckdb-connection.ts';
import { sampleDataset } from '../lake/sample-dataset.ts';
import { loadSources, textSource } from './load-text.ts';

const folder = newFolder();
afterAll(() => folder.remove());

const EQ_TAQ = 'US1032';
let count = 0;
const newHome = () => join(folder.path, `home-${count++}`);
const SHOWN = ['Ticker', 'Price', 'ASID'];

function csv(text: string): string {
  const path = join(folder.path, `rows-${count++}.csv`);
  writeFileSync(path, text);
  return path;
}

async function parquet(text: string): Promise<string> {
  const path = join(folder.path, `rows-${count++}.parquet`);
  const connection = await connectToDuckDB();
  await connection.run(
    `COPY (SELECT * FROM read_csv('${csv(text)}', all_varchar = true, header = true))
     TO '${path}' (FORMAT parquet)`,
  );
  connection.closeSync();
  return path;
}

const FORMATS = [
  ['CSV', csv, 'line 1: '],
  ['Parquet', parquet, ''],
] as const;

const NAMED = '__index_level_0__,tradedate,SYMBOL,px,EVENTDATETIME,note,asid\n';
const ROWS = [
  '0,2024-03-11,AAPL,1.5,2024-03-11T09:30:00,"é, ""x""",7',
  '1,2024-03-11,MSFT,2,2024-03-11T09:31:00,,',
];

test.each(FORMATS)(
  'columns of %s are mapped, ignored and known in any case',
  async (_name, make) => {
    const home = newHome();
    const file = await make(`${NAMED}${ROWS.join('\n')}\n`);
    const options = '--map symbol=Ticker --map px=price --ignore-columns __index_level_0__,Note';
    const output = await runCommand(home, 'ingest', 'eq_taq', file, ...options.split(' '));
    expect([output.exitCode, output.stderr]).toEqual([0, '']);
    expect(await publishedRows(home, EQ_TAQ, SHOWN)).toEqual([
      ['AAPL', '1.5', '7'],
      ['MSFT', '2.0', null],
    ]);
  },
);

const KEYS = 'TradeDate,Ticker,EventDateTime';

const BAD_HEADERS: readonly (readonly [
  what: string,
  header: string,
  options: string,
  said: string,
])[] = [
  [
    'a name that is no column',
    `${KEYS},px`,
    '',
    'eq_taq has no column "px"; its columns are TradeDate, ',
  ],
  [
    'one column twice',
    `${KEYS},px,Price`,
    '--map px=Price',
    'column "Price" appears more than once, as "px", "Price"',
  ],
  [
    'a mapping of nothing',
    KEYS,
    '--map px=Price',
    'there is no "px" to map to Price; the names here are "TradeDate", "Ticker", "EventDateTime"',
  ],
  [
    'a needed column ignored',
    KEYS,
    '--ignore-columns Ticker',
    'missing column "Ticker"; eq_taq needs TradeDate, ',
  ],
];

test.each(
  FORMATS.flatMap(([format, make, line]) =>
    BAD_HEADERS.map(([what, header, options, said]) => {
      return { name: `${format} with ${what}`, make, header, options, said: `${line}${said}` };
    }),
  ),
)('$name is refused, and nothing is published', async ({ make, header, options, said }) => {
  const home = newHome();
  const file = await make(
    `${header}\n2024-03-11,AAPL,2024-03-11T09:30:00${',1'.repeat(header.split(',').length - 3)}\n`,
  );
  const words = options === '' ? [] : options.split(' ');
  const output = await runCommand(home, 'ingest', 'eq_taq', file, ...words);
  expect(output.stderr).toContain(`ticklake: ${file}: ${said}`);
  expect([output.exitCode, leftovers(home)]).toEqual([2, []]);
  expect(await publishedRows(home, EQ_TAQ, SHOWN)).toEqual([]);
});

test.each([
  ['--map Ticker', '--map takes OLD=NEW, such as --map symbol=Ticker, not Ticker'],
  ['--map a=', '--map takes OLD=NEW, such as --map symbol=Ticker, not a='],
  ['--map a=Ticker --map a=Price', '--map names "a" twice'],
  [
    '--map a=Prise',
    '"a" cannot be mapped: eq_taq has no column "Prise"; its columns are TradeDate, ',
  ],
  ['--map a=Price --ignore-columns A', '"a" is both mapped and ignored; choose one of them'],
])('the options %s are refused before a file is looked for', async (options, said) => {
  const output = await runCommand(newHome(), 'ingest', 'eq_taq', 'none.csv', ...options.split(' '));
  expect(output.stderr).toContain(`ticklake: ${said}`);
  expect(output.exitCode).toBe(2);
});

test('a bad row is told by its line in a file with columns that are ignored', async () => {
  const file = csv(
    `note,${KEYS},Price\nx,2024-03-11,AAPL,2024-03-11T09:30:00,1\ny,2024-03-11,AAPL,2024-03-11T09:30:00,b\nz\n`,
  );
  const output = await runCommand(newHome(), 'ingest', 'eq_taq', file, '--ignore-columns', 'note');
  expect(output.stderr).toContain(`${file}:3: Price "b" is not a decimal number`);
  expect(output.stderr).toContain(`${file}:4: the record "z" is not a record with 5 fields`);
});

test('plain and strict records leave the same fields out', async () => {
  const dataset = sampleDataset('whole');
  const header = { renamed: new Map(), ignored: ['x', '', 'Y'] };
  const plain = (i: number) => `${i},2024-01-0${i},any,A,"b,c",,,${i},`;
  const strict = (i: number) => `${i},2024-01-0${i},"a ""é""\nb",A,ü,,,${i},`;
  const names = 'x,TradeDate,y,Ticker,,EventDateTime,Strike,ASID,Codes';
  const read = (row: (i: number) => string) =>
    loadSources(dataset, [textSource([names, row(1), row(2), ''].join('\n'))], header);
  const [some, others] = [await read(plain), await read(strict)];
  expect(some.report).toMatchObject({ rowCount: 2, badRowCount: 0 });
  expect([others.report, others.rows]).toEqual([some.report, some.rows]);
});
