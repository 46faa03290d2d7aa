/**
 * Cost of recipes: a file of a vendor, and the same rows as CSV of the dataset, each loaded with
 * all checks, in turns.
 */
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openCatalog } from '../../src/open-services.ts';
import { loadRecipes } from '../../src/recipes/load-recipes.ts';
import type { Recipe } from '../../src/recipes/recipe.ts';
import { RecipeOpener } from '../../src/recipes/recipe-opener.ts';
import { type Cost, costOf, costText, medianCost } from '../cost.ts';
import { csvOfDbn, type DbnSchema, dbnFile } from '../data/dbn-file.ts';
import type { Bench, Benchmark, Finding } from '../finding.ts';
import { atMost, quantile, race } from '../measure.ts';
import { load, loadInto } from './load.ts';

const RECORDS = { full: 600_000, small: 20_000 } as const;
const TURNS = { full: { warmUps: 1, runs: 3 }, small: { warmUps: 1, runs: 1 } } as const;

const drawn = (salt: number, count: number) => `(hash(i + ${salt}) % ${count})::BIGINT`;
const oneOf = (salt: number, texts: readonly string[]) =>
  `[${texts.map((text) => `'${text}'`).join()}][1 + ${drawn(salt, texts.length)}]`;
const PRICE = `round(10 + ${drawn(1, 90_000)} / 100, 2)`;
const BID = `round(9.75 + ${drawn(1, 90_000)} / 100, 2)`;
const SIZE = `1 + ${drawn(2, 900)}`;
/** Records of a ticker follow each other, as in files of all tickers. */
const TICKER = `'T' || i // 125`;
/** From 04:00 in New York on. */
const EVENT_NANOS = (start: string) =>
  `(${start}0000000000 + i % 125 * 400000000000 + ${drawn(3, 400_000_000_000)})`;
const localText = (nanos: string, form: string) =>
  `strftime(make_timestamp_ns(${nanos} - 14400000000000), '${form}')`;
const TAQ_TIME = localText(EVENT_NANOS('171023040'), '%H%M%S%n');
const FEED_NANOS = `(1710230400000000000 + i * 100000000 + ${drawn(3, 100_000_000)})`;
const [DAY, CLOCK] = ['%Y%m%d', '%H:%M:%S.%n'].map((form) => localText(FEED_NANOS, form));

/** A text of records by their number `i`. */
interface Text {
  readonly name: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly separator?: string;
  readonly trailer?: (records: number) => string;
}

const TEXTS: Readonly<Record<string, Text>> = {
  'massive-stocks-trades': {
    name: '2024-03-12.csv',
    fields: {
      ticker: TICKER,
      conditions: oneOf(4, ['', '', '', '12', '14,12', '37', '37', '12,37', '14,41', '14,37,41']),
      correction: '0',
      exchange: oneOf(5, ['4', '10', '11', '12', '19', '8', '18', '15', '21', '7']),
      id: 'i',
      participant_timestamp: EVENT_NANOS('171023040'),
      price: PRICE,
      sequence_number: 'i',
      sip_timestamp: EVENT_NANOS('171023040'),
      size: SIZE,
      ...{ tape: '1', trf_id: '0', trf_timestamp: '0' },
    },
  },
  'massive-stocks-quotes': {
    name: '2025-11-04.csv',
    fields: {
      ticker: TICKER,
      ...{
        ask_exchange: oneOf(5, ['8', '10', '11', '12', '19']),
        ask_price: PRICE,
        ask_size: SIZE,
      },
      bid_exchange: oneOf(6, ['8', '10', '11', '12', '19']),
      ...{ bid_price: BID, bid_size: SIZE, conditions: '1', indicators: `''` },
      ...{ participant_timestamp: EVENT_NANOS('176224320'), sequence_number: 'i' },
      ...{ sip_timestamp: EVENT_NANOS('176224320'), tape: '1', trf_timestamp: '0' },
    },
  },
  'massive-stocks-minute': {
    name: '2024-03-12.csv',
    fields: {
      ...{ ticker: TICKER, volume: SIZE, open: PRICE, close: PRICE, high: PRICE, low: PRICE },
      ...{ window_start: '1710230400000000000 + i % 125 * 60000000000', transactions: SIZE },
    },
  },
  'nyse-taq-trades': {
    name: 'EQY_US_ALL_TRADE_20240312',
    separator: '|',
    trailer: (records) => `END|20240312|${records}|||||||||||\n`,
    fields: {
      Time: TAQ_TIME,
      Exchange: oneOf(5, ['D', 'N', 'P', 'Q', 'Z', 'K', 'Y', 'V', 'U', 'J']),
      Symbol: TICKER,
      'Sale Condition': oneOf(4, ['@   ', '@   ', '@  I', '@F I', ' F  ', '@ T ', '@FTI']),
      ...{ 'Trade Volume': SIZE, 'Trade Price': PRICE, 'Trade Stop Stock Indicator': `'N'` },
      ...{ 'Trade Correction Indicator': `'00'`, 'Sequence Number': 'i', 'Trade Id': 'i' },
      ...{ 'Source of Trade': `'C'`, 'Trade Reporting Facility': `''` },
      ...{ 'Participant Timestamp': TAQ_TIME, 'Trade Reporting Facility TRF Timestamp': `''` },
      'Trade Through Exempt Indicator': '0',
    },
  },
  'nyse-taq-quotes': {
    name: 'SPLITS_US_ALL_BBO_T_20240312',
    separator: '|',
    trailer: (records) => `END|20240312|${records}${'|'.repeat(20)}\n`,
    fields: {
      ...{ Time: TAQ_TIME, Exchange: oneOf(5, ['N', 'P', 'Q', 'Z', 'K', 'Y', 'V', 'U', 'J']) },
      ...{ Symbol: TICKER, Bid_Price: BID, Bid_Size: SIZE, Offer_Price: PRICE },
      ...{ Offer_Size: SIZE, Quote_Condition: `'R'`, Sequence_Number: 'i' },
      ...{ National_BBO_Ind: oneOf(6, ['A', 'A', 'A', 'F', 'G', 'T', 'U']) },
      ...{ FINRA_BBO_Indicator: `' '`, FINRA_ADF_MPID_Indicator: `' '` },
      ...{ Quote_Cancel_Correction: `' '`, Source_Of_Quote: `'C'` },
      ...{ Retail_Interest_Indicator: oneOf(7, [' ', ' ', ' ', 'A', 'B', 'C']) },
      ...{ Short_Sale_Restriction_Indicator: `' '`, LULD_BBO_Indicator: `' '` },
      ...{ SIP_Generated_Message_Identifier: `' '`, National_BBO_LULD_Indicator: `'A'` },
      ...{ Participant_Timestamp: TAQ_TIME, FINRA_ADF_Timestamp: 'NULL' },
      ...{
        FINRA_ADF_Market_Participant_Quote_Indicator: 'NULL',
        Security_Status_Indicator: 'NULL',
      },
    },
  },
  'algoseek-equities-ticks': {
    name: 'IBM.csv',
    fields: {
      ...{ Date: `${DAY}`, Timestamp: `${CLOCK}` },
      EventType: oneOf(4, ['TRADE', 'QUOTE BID', 'QUOTE ASK', 'QUOTE BID NB', 'QUOTE ASK NB']),
      ...{ Ticker: `'IBM'`, Price: PRICE, Quantity: SIZE },
      Exchange: oneOf(5, ['NYSE', 'ARCA', 'NASDAQ', 'BATS', 'EDGX']),
      Conditions: oneOf(6, ['00000001', '00000000', '20000040', '80000001']),
    },
  },
};

const DATABENTO: Readonly<Record<string, DbnSchema>> = {
  'databento-futures-trades': 'trades',
  'databento-futures-ticks': 'mbp-1',
  'databento-futures-minute': 'ohlcv-1m',
};

/** Writes a file of a vendor into the folder, and returns its path. */
type WriteFile = (bench: Bench, folder: string, records: number) => Promise<string>;

function textWriter({ name, fields, separator = ',', trailer }: Text): WriteFile {
  return async ({ raw }, folder, records) => {
    const path = join(folder, name);
    const columns = Object.entries(fields).map(([field, sql]) => `${sql} AS "${field}"`);
    await raw.run(`COPY (SELECT ${columns.join(', ')} FROM range(${records}) AS numbers(i) ORDER BY i)
      TO '${path}' (FORMAT csv, HEADER true, DELIMITER '${separator}')`);
    if (trailer) appendFileSync(path, trailer(records));
    return path;
  };
}

function databentoWriter(schema: DbnSchema, format: 'csv' | 'dbn'): WriteFile {
  return async (_bench, folder, records) => {
    const path = join(folder, `glbx-mdp3-20240312.${schema}.${format}`);
    const bytes = dbnFile(schema, records);
    writeFileSync(path, format === 'dbn' ? bytes : csvOfDbn(bytes));
    return path;
  };
}

const FILES: readonly (readonly [recipe: string, format: string, write: WriteFile])[] = [
  ...Object.entries(TEXTS).map(([recipe, text]) => [recipe, 'CSV', textWriter(text)] as const),
  ...Object.entries(DATABENTO).flatMap(([recipe, schema]) => [
    [recipe, 'CSV', databentoWriter(schema, 'csv')] as const,
    [recipe, 'DBN', databentoWriter(schema, 'dbn')] as const,
  ]),
];

/** The rows of the only dataset of a home, in the order in which they are stored. */
const rowsOf = (home: string) => `read_parquet('${home}/**/*.parquet')`;

const openerOf = (recipe: Recipe) =>
  new RecipeOpener(recipe, recipe.time_zone ?? recipe.dataset.fileTimeZone);

/** The rows of a home as CSV of the dataset, in the order of the vendor's file. */
async function writePlain({ raw }: Bench, recipe: Recipe, home: string, file: string) {
  const { dataset, rowRules } = recipe;
  const names = new Set(rowRules.flatMap((row) => [...row.keys()]));
  const columns = dataset.columns.filter(({ name }) => names.has(name));
  const times = columns.filter(({ dataType }) => dataType === 'date-time');
  const texts = columns.map((column) => {
    const { name } = column;
    const text = `strftime(make_timestamp_ns(${name}_utc_ns), '%Y-%m-%dT%H:%M:%S.%n') || 'Z'`;
    return times.includes(column) ? `${text} AS ${name}` : name;
  });
  const order = recipe.recipe in DATABENTO ? `ORDER BY ${times[0]?.name}_utc_ns, Ticker` : '';
  await raw.run(`COPY (SELECT ${texts.join(', ')} FROM ${rowsOf(home)} ${order})
    TO '${file}' (FORMAT csv, HEADER true)`);
}

/** Writes the plain file of a vendor's, and makes sure that both have the same rows. */
async function plainOf(bench: Bench, recipe: Recipe, path: string) {
  const { raw, data } = bench;
  const { dataset } = recipe;
  const [home, other] = [1, 2].map(() => mkdtempSync(join(data.scratch, 'home-'))) as [
    string,
    string,
  ];
  const plain = join(data.scratch, `${dataset.textId}.csv`);
  await loadInto(home, dataset, [path], openerOf(recipe));
  await writePlain(bench, recipe, home, plain);
  const rowCount = await loadInto(other, dataset, [plain]);
  const reader = await raw.runAndReadAll(
    `SELECT count(*) FROM (FROM ${rowsOf(home)} EXCEPT ALL FROM ${rowsOf(other)})`,
  );
  if (Number(reader.getRows()[0]?.[0]) > 0) throw new Error('a recipe reads other rows');
  for (const each of [home, other]) rmSync(each, { recursive: true });
  return { plain, rowCount };
}

async function compare(bench: Bench, recipe: Recipe, path: string) {
  const { scratch, sizes } = bench.data;
  const { plain, rowCount } = await plainOf(bench, recipe, path);
  const costs = { own: [] as Cost[], plain: [] as Cost[] };
  const loading = (name: keyof typeof costs, file: string) => async () => {
    const opener = name === 'own' ? openerOf(recipe) : undefined;
    const work = async () => {
      const found = await load(scratch, recipe.dataset, [file], opener);
      if (found !== rowCount) throw new Error('rows are missing');
    };
    costs[name].push(await costOf(work));
  };
  const turns = atMost(bench.turns.runs, TURNS[sizes.name]);
  await race(turns, { own: loading('own', path), plain: loading('plain', plain) });
  rmSync(plain);
  return { own: costs.own.slice(turns.warmUps), plain: costs.plain.slice(turns.warmUps), rowCount };
}

export const RECIPES: Benchmark = {
  name: 'recipes',
  reads: [],
  run: async (bench) => {
    const { data } = bench;
    const { recipes } = loadRecipes(data.home, openCatalog(data.home, null));
    const findings: Finding[] = [];
    for (const [recipe, format, write] of FILES) {
      const path = await write(bench, data.scratch, RECORDS[data.sizes.name]);
      const costs = await compare(bench, recipes.get(recipe) as Recipe, path);
      rmSync(path);
      const [own, plain] = [medianCost(costs.own), medianCost(costs.plain)];
      const ratios = costs.own.map(
        ({ cpuSeconds }, turn) => cpuSeconds / (costs.plain[turn] as Cost).cpuSeconds,
      );
      findings.push({
        work: `${costs.rowCount / 1000} thousand rows by ${recipe}, ${format}`,
        measured: costText(own),
        compared: `plain ${costText(plain)}`,
        figure: own.cpuSeconds / plain.cpuSeconds,
        spread: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
        unit: '',
        target: { is: 'at most', value: 1.3 },
        details: { recipeCpuSeconds: own.cpuSeconds, plainCpuSeconds: plain.cpuSeconds },
      });
    }
    return findings;
  },
};
