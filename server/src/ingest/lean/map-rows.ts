/** A line of a map file. */
import { IDENTIFIER_TEXT, isIdentifierText } from '../../engine/identifier-text.ts';
import { BadField, dateField } from './fields.ts';

export interface MapRow {
  readonly lastDate: string;
  readonly ticker: string;
}

export function readMapRow(fields: readonly string[]): MapRow {
  const [lastDate = '', ticker = ''] = fields;
  if (fields.length < 2 || fields.length > 4) {
    throw new BadField(null, fields.join(','), 'a row with a date, a ticker and a venue letter');
  }
  if (!isIdentifierText(ticker)) throw new BadField('ticker', ticker, IDENTIFIER_TEXT);
  return { lastDate: dateField(lastDate), ticker: ticker.toUpperCase() };
}
