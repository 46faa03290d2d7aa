/** The contracts of options and futures, as the names of LEAN's texts tell them. */
import { BadField, dateOfCompact, scaledPriceField } from './fields.ts';
import type { LeanFile } from './scan-folder.ts';
import type { TextSource } from './text-source.ts';

const OPTION_NAME = /_(?<right>call|put)_(?<strike>\d{1,15})_(?<expiry>\d{8})\.csv$/i;
const FUTURES_NAME = /_(?<year>\d{4})(?<month>0[1-9]|1[0-2])(?:_\d{8})?\.csv$/i;
const FILE_NAME = 'file name';
const MONTH_LETTERS = 'FGHJKMNQUVXZ';

export interface OptionContract {
  readonly CallPut: 'C' | 'P';
  /** Dollars. */
  readonly Strike: number;
  readonly ExpirationDate: string;
}

export function optionContract(_file: LeanFile, { fileName }: TextSource): OptionContract {
  const groups = OPTION_NAME.exec(fileName)?.groups;
  const expiry = dateOfCompact(groups?.expiry ?? '');
  if (!groups || expiry === null) {
    const reason = 'a name that ends in call or put, the strike times 10000 and the expiry date';
    throw new BadField(FILE_NAME, fileName, reason);
  }
  return {
    CallPut: groups.right?.toLowerCase() === 'call' ? 'C' : 'P',
    Strike: scaledPriceField('strike', groups.strike as string),
    ExpirationDate: expiry,
  };
}

export interface FuturesContract {
  readonly Ticker: string;
  readonly BaseSymbol: string;
}

/** Root, month letter and one digit of the year, which names the contracts of ten years. */
export function futuresContract(file: LeanFile, { fileName }: TextSource): FuturesContract {
  const { year, month } = FUTURES_NAME.exec(fileName)?.groups ?? {};
  if (year === undefined) {
    throw new BadField(FILE_NAME, fileName, 'a name that ends in the contract month YYYYMM');
  }
  const yearsAhead = Number(year) - Number(file.date.slice(0, 4));
  if (yearsAhead < 0 || yearsAhead > 9) {
    const reason = 'in the same year as the data or in the nine years after it';
    throw new BadField('contract month', `${year}${month}`, reason);
  }
  const root = file.symbol.toUpperCase();
  const letter = MONTH_LETTERS[Number(month) - 1];
  return { Ticker: `${root}${letter}${Number(year) % 10}`, BaseSymbol: root };
}
