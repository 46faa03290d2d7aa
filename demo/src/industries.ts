/** The public Standard Industrial Classification, as far as the demo market uses it. */

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
