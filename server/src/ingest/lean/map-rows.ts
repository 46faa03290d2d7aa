/** A line of a map file. */
import { IDENTIFIER_TEXT, isIdentifierText } from '../../engine/identifier-text.ts';
import { BadField, dateField } from './fields.ts';
import { VENUES } from './venues.ts';

export interface MapRow {
  readonly lastDate: string;
  readonly ticker: string;
  /** Name of the venue that lists it; null where the line does not say it. */
  readonly venue: string | null;
}

export function readMapRow(fields: readonly string[]): MapRow {
  const [lastDate = '', ticker = '', venue = ''] = fields;
  if (fields.length < 2 || fields.length > 4) {
    throw new BadField(null, fields.join(','), 'a row with a date, a ticker and a venue letter');
  }
  if (!isIdentifierText(ticker)) throw new BadField('ticker', ticker, IDENTIFIER_TEXT);
  return {
    lastDate: dateField(lastDate),
    ticker: ticker.toUpperCase(),
    venue: VENUES[venue.toUpperCase()] ?? null,
  };
}
