/** A value in words, for messages about rows. */
import { decimalDigits } from '../catalog/column-types.ts';
import type { Column } from '../catalog/dataset.ts';
import type { TimeZone } from '../time/time-zone.ts';
import { type CellValue, dateOfDays } from './columns.ts';
import { decimalText } from './decimals.ts';

const SHOWN_CHARACTERS = 200;

/** As answers show it, times by the clock of `timeZone`; null: no value. */
export function cellText(column: Column, cell: CellValue, timeZone: TimeZone): string | null {
  const { dataType, fractionDigits } = column;
  if (cell === null) return null;
  if (dataType === 'date' && typeof cell === 'number') return dateOfDays(cell);
  if (dataType === 'decimal') return decimalText(cell as bigint, decimalDigits(column).scale);
  if (dataType === 'date-time') {
    const instant = Temporal.Instant.fromEpochNanoseconds(cell as bigint);
    return instant.toString({ timeZone, fractionalSecondDigits: fractionDigits });
  }
  const text = typeof cell === 'object' ? `[${cell.join(', ')}]` : String(cell);
  return text.slice(0, SHOWN_CHARACTERS);
}
