/** The quantities that quotas count, as people read them: a row for each. */
import type { UsedAmounts } from '@ticklake/client';
import { bytesText, countText, plural } from './amounts';

export type Quantity = keyof UsedAmounts;

interface QuantityText {
  readonly label: string;
  readonly isInBytes: boolean;
  /** Beside the label. */
  readonly text: (amount: number) => string;
  /** In a sentence. */
  readonly longText: (amount: number) => string;
  /** To the last one. */
  readonly exactText: (amount: number) => string;
}

const IN_BYTES = {
  isInBytes: true,
  text: bytesText,
  longText: bytesText,
  exactText: (bytes: number) => plural(bytes, 'byte'),
};

const requestsText = (count: number) => plural(count, 'request');

/** In display order. */
export const QUANTITIES: Readonly<Record<Quantity, QuantityText>> = {
  requests: {
    label: 'Requests',
    isInBytes: false,
    text: countText,
    longText: requestsText,
    exactText: requestsText,
  },
  data_scanned: { label: 'Data scanned', ...IN_BYTES },
  data_returned: { label: 'Data returned', ...IN_BYTES },
};

export const QUANTITY_NAMES = Object.keys(QUANTITIES) as readonly Quantity[];

export function ofEachQuantity<T>(make: (quantity: Quantity) => T): Record<Quantity, T> {
  const entries = QUANTITY_NAMES.map((quantity) => [quantity, make(quantity)]);
  return Object.fromEntries(entries) as Record<Quantity, T>;
}
