/** The companies of the demo market, one a line. All names and symbols are invented. */
import type { ActivityLevel, Company, Special } from './universe.ts';

/** Titles of the industry codes in use, by the public SIC list. */
export const INDUSTRY_OF_SIC: Readonly<Record<number, string>> = {
  100: 'Agricultural Production-Crops',
  1000: 'Metal Mining',
  1040: 'Gold And Silver Ores',
  1311: 'Crude Petroleum & Natural Gas',
  1531: 'Operative Builders',
  2000: 'Food And Kindred Products',
  2821: 'Plastic Materials, Synth Resins & Nonvulcan Elastomers',
  2834: 'Pharmaceutical Preparations',
  2836: 'Biological Products, (No Diagnostic Substances)',
  3312: 'Steel Works, Blast Furnaces & Rolling Mills',
  3569: 'General Industrial Machinery & Equipment, Nec',
  3571: 'Electronic Computers',
  3576: 'Computer Communications Equipment',
  3674: 'Semiconductors & Related Devices',
  3690: 'Miscellaneous Electrical Machinery, Equipment & Supplies',
  3711: 'Motor Vehicles & Passenger Car Bodies',
  3845: 'Electromedical & Electrotherapeutic Apparatus',
  4213: 'Trucking (No Local)',
  4512: 'Air Transportation, Scheduled',
  4812: 'Radiotelephone Communications',
  4833: 'Television Broadcasting Stations',
  4911: 'Electric Services',
  4922: 'Natural Gas Transmission',
  5122: 'Wholesale-Drugs, Proprietaries & Druggists Sundries',
  5311: 'Retail-Department Stores',
  6022: 'State Commercial Banks',
  6331: 'Fire, Marine & Casualty Insurance',
  6798: 'Real Estate Investment Trusts',
  7370: 'Services-Computer Programming, Data Processing, Etc.',
  7372: 'Services-Prepackaged Software',
  7374: 'Services-Computer Processing & Data Preparation',
  8062: 'Services-General Medical & Surgical Hospitals, Nec',
  8200: 'Services-Educational Services',
};

const SIC_DIVISIONS: readonly (readonly [below: number, sector: string])[] = [
  [1000, 'Agriculture Forestry And Fishing'],
  [1500, 'Mining'],
  [1800, 'Construction'],
  [4000, 'Manufacturing'],
  [5000, 'Transportation Communications Electric Gas And Sanitary Service'],
  [5200, 'Wholesale Trade'],
  [6000, 'Retail Trade'],
  [7000, 'Finance Insurance And Real Estate'],
  [9000, 'Services'],
];

/** The SIC division of an industry code. */
export function sectorOfSic(sic: number): string | null {
  return SIC_DIVISIONS.find(([below]) => sic < below)?.[1] ?? null;
}

type CompanyRow = readonly [
  ticker: string,
  name: string,
  exchange: Company['exchange'],
  description: string,
  sic: number | null,
  activity: ActivityLevel,
  lastPrice: number,
  trend: number,
  volatility: number,
  dividendYield: number,
];

const EQUITY = 'Equity Shares';
const FUND = 'Exchange Traded Fund';

/** On which `BZOQ` hands `BZSQ` to its holders. */
const DEMERGER_AGE = 130;

/** Special cases, by company name. */
const SPECIALS: Readonly<Record<string, Special>> = {
  'Avalquist Instruments Corp': {
    shareChanges: [{ age: 1510, reason: 'BonusSame', sharesNew: 1, sharesOld: 1 }],
  },
  'Bazoquin Petroleum Inc': {
    shareChanges: [
      { age: DEMERGER_AGE, reason: 'DeMerg', sharesNew: 1, sharesOld: 8, childTicker: 'BZSQ' },
    ],
  },
  'Bazoquin Pipelines Inc': { listedAge: DEMERGER_AGE },
  'Dequorva Biologics Inc': { reclassified: { untilAge: 801 } },
  'Ezvequa Networks Inc': {
    formerTicker: { ticker: 'EZNQ', name: 'Ezenquid Networks Inc', untilAge: 41 },
  },
  'Jazequor Retail Stores Inc': { delistedAge: 12 },
  'Kequozet Robotics Inc': { listedAge: 900 },
  'Naquexov Therapeutics Inc': { shocks: [{ age: 2, logReturn: -0.165 }] },
  'Sequoval Devices Inc': {
    shareChanges: [{ age: 30, reason: 'Subdiv', sharesNew: 4, sharesOld: 1 }],
  },
  'Tazequow Airlines Inc': { shocks: [{ age: 1, logReturn: -0.075 }] },
  'Uquazeb Builders Inc': {
    shareChanges: [{ age: 300, reason: 'ScriptDiv', sharesNew: 5, sharesOld: 100 }],
  },
  'Xaqvin Mining Corp': {
    formerExchange: { exchange: 'NYSE', untilAge: 700 },
    shareChanges: [{ age: 420, reason: 'Cons', sharesNew: 1, sharesOld: 10 }],
  },
  'Kaquizant Minerals Corp': { delistedAge: 1300 },
  'Nozequix Energy Storage Inc': { listedAge: 20 },
};

// biome-ignore format: one company a line reads better
const COMPANY_ROWS: readonly CompanyRow[] = [
  ['AVQX', 'Avalquist Instruments Corp', 'NASDAQ', EQUITY, 3571, 'flagship', 187.4, 0.12, 0.015, 0.011],
  ['BZOQ', 'Bazoquin Petroleum Inc', 'NYSE', EQUITY, 1311, 'flagship', 64.85, 0.05, 0.018, 0.034],
  ['BZSQ', 'Bazoquin Pipelines Inc', 'NYSE', EQUITY, 4922, 'thin', 21.3, 0.02, 0.017, 0.048],
  ['CXQL', 'Coxquill Foods Co', 'NYSE', EQUITY, 2000, 'liquid', 48.12, 0.04, 0.011, 0.028],
  ['DQRV', 'Dequorva Biologics Inc', 'NASDAQ', EQUITY, 2836, 'medium', 91.55, 0.09, 0.026, 0],
  ['EZVQ', 'Ezvequa Networks Inc', 'NASDAQ', EQUITY, 3576, 'medium', 33.27, 0.06, 0.022, 0],
  ['FQXT', 'Foxquint Total Market Fund', 'ARCA', FUND, null, 'liquid', 214.6, 0.07, 0.009, 0.014],
  ['FQXB', 'Foxquint Broad Bond Fund', 'ARCA', FUND, null, 'thin', 71.18, 0.004, 0.003, 0.032],
  ['GZQN', 'Gazequen Motors Corp', 'NYSE', EQUITY, 3711, 'medium', 27.9, 0.02, 0.021, 0.016],
  ['HVQZ', 'Havequiz Hospitals Inc', 'NYSE', EQUITY, 8062, 'medium', 118.33, 0.08, 0.016, 0.007],
  ['IQXD', 'Inquaxid Insurance Group Inc', 'NYSE', EQUITY, 6331, 'medium', 142.06, 0.08, 0.012, 0.021],
  ['JZQR', 'Jazequor Retail Stores Inc', 'NYSE', EQUITY, 5311, 'thin', 16.42, -0.01, 0.024, 0.02],
  ['KQZT', 'Kequozet Robotics Inc', 'NASDAQ', EQUITY, 3569, 'thin', 39.77, 0.1, 0.025, 0],
  ['LQVZ', 'Liqvanz Logistics Inc', 'NASDAQ', EQUITY, 4213, 'thin', 55.9, 0.05, 0.017, 0.012],
  ['MZQK', 'Mezquark Semiconductor Corp', 'NASDAQ', EQUITY, 3674, 'liquid', 76.25, 0.15, 0.024, 0.004],
  ['NQXV', 'Naquexov Therapeutics Inc', 'NASDAQ', EQUITY, 2834, 'medium', 12.08, 0, 0.034, 0],
  ['OZQM', 'Ozequam Utilities Corp', 'NYSE', EQUITY, 4911, 'thin', 58.61, 0.03, 0.01, 0.037],
  ['PQZL', 'Paquizel Bancorp', 'NYSE', EQUITY, 6022, 'medium', 31.74, 0.03, 0.017, 0.033],
  ['QVZX', 'Quavazex Software Inc', 'NASDAQ', EQUITY, 7372, 'liquid', 152.93, 0.14, 0.021, 0],
  ['RZQD', 'Razequod Steel Corp', 'NYSE', EQUITY, 3312, 'thin', 19.65, 0.01, 0.023, 0.015],
  ['SQVL', 'Sequoval Devices Inc', 'NASDAQ', EQUITY, 3845, 'medium', 44.18, 0.13, 0.02, 0],
  ['TZQW', 'Tazequow Airlines Inc', 'NYSE', EQUITY, 4512, 'thin', 13.37, -0.02, 0.027, 0],
  ['UQZB', 'Uquazeb Builders Inc', 'NYSE', EQUITY, 1531, 'thin', 82.49, 0.07, 0.021, 0.01],
  ['VQXR', 'Vaquexor Properties Trust', 'NYSE', EQUITY, 6798, 'thin', 24.7, 0.01, 0.014, 0.052],
  ['WQZF', 'Wequizof Farms Inc', 'AMEX', EQUITY, 100, 'thin', 7.84, 0, 0.022, 0],
  ['XQVN', 'Xaqvin Mining Corp', 'AMEX', EQUITY, 1040, 'thin', 14.36, -0.03, 0.035, 0],
  ['YZQH', 'Yazequoh Chemicals Inc', 'NYSE', EQUITY, 2821, 'thin', 67.02, 0.04, 0.016, 0.022],
  ['ZQVG', 'Zaquivog Games Inc', 'NASDAQ', EQUITY, 7370, 'thin', 22.15, 0.05, 0.028, 0],
  ['AQZD', 'Aquozad Holdings Ltd ADR', 'NYSE', 'Depository Receipts', 4812, 'thin', 35.48, 0.03, 0.018, 0.019],
  ['CQVJ', 'Coquivaj Wholesale Corp', 'NASDAQ', EQUITY, 5122, 'thin', 49.93, 0.04, 0.015, 0.017],
  ['DZQX', 'Dazequix Cloud Inc', 'NYSE', EQUITY, 7374, 'thin', 28.66, 0.02, 0.027, 0],
  ['EQXZ', 'Equixaz Education Inc', 'NASDAQ', EQUITY, 8200, 'thin', 9.71, 0, 0.025, 0],
  ['HZQV', 'Hozequiv Media Corp', 'NASDAQ', EQUITY, 4833, 'thin', 6.28, -0.06, 0.03, 0],
  ['KQZT', 'Kaquizant Minerals Corp', 'NYSE', EQUITY, 1000, 'thin', 3.15, -0.08, 0.031, 0],
  ['NZQX', 'Nozequix Energy Storage Inc', 'NASDAQ', EQUITY, 3690, 'thin', 18.4, 0.05, 0.03, 0],
];

export const COMPANIES: readonly Company[] = COMPANY_ROWS.map((row) => ({
  ticker: row[0],
  name: row[1],
  exchange: row[2],
  description: row[3],
  sic: row[4],
  activity: row[5],
  lastPrice: row[6],
  trend: row[7],
  volatility: row[8],
  dividendYield: row[9],
  special: SPECIALS[row[1]] ?? {},
}));

/** The company whose data an example shows first. */
export const FLAGSHIP_TICKER = 'AVQX';
/** The companies with option chains. */
export const OPTION_UNDERLYINGS = ['AVQX', 'BZOQ'] as const;

/** A symbol on which an exchange tries its systems: it has neither ASID nor SecId. */
export const TEST_SYMBOL = { ticker: 'ZQTZT', exchange: 'NASDAQ', price: 10 } as const;

export interface OtcCompany {
  readonly ticker: string;
  readonly name: string;
  readonly sic: number;
  readonly price: number;
  /** The ticker of its listing before it was delisted, or null. */
  readonly formerlyListedAs: string | null;
}

export const OTC_COMPANIES: readonly OtcCompany[] = [
  {
    ticker: 'JZQRQ',
    name: 'Jazequor Retail Stores Inc',
    sic: 5311,
    price: 4.1,
    formerlyListedAs: 'JZQR',
  },
  {
    ticker: 'QVXLF',
    name: 'Quivexal Resources Ltd',
    sic: 1040,
    price: 0.47,
    formerlyListedAs: null,
  },
  {
    ticker: 'ZQNRY',
    name: 'Zaquonar Holdings Plc ADR',
    sic: 3674,
    price: 14.6,
    formerlyListedAs: null,
  },
];
