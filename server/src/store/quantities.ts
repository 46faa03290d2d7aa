/**
 * The quantities that quotas count: the one table that counters, store, limits and interface go by.
 */

export const QUOTA_SPANS = ['month', 'minute'] as const;
export type QuotaSpan = (typeof QUOTA_SPANS)[number];

/**
 * Status of a step: bytes that were sent of an answer while it is on its way. The request itself,
 * its rows and what it scanned count with its end.
 */
export const STEP_STATUS = 102;

/** The status of requests that were refused because a limit was used up. */
export const LIMITED_STATUS = 429;

/** A request, or a step of one, as far as quotas have to know it. */
export interface CountedRequest {
  readonly status: number;
  /** True if it counts as a request of its minute; its bytes always do. */
  readonly countsInMinute: boolean;
  readonly scannedBytes: number;
  readonly returnedBytes: number;
}

interface QuantityRule {
  /** Field name in the interface. */
  readonly field: string;
  /** Column in the sums by day. */
  readonly dayColumn: string;
  /** The column of the ledger that adds up to it in the minute. */
  readonly ledgerColumn: string;
  /** The amounts that a request adds to each span. */
  readonly adds: Readonly<Record<QuotaSpan, (request: CountedRequest) => number>>;
  /** For refusals: `Monthly NAME limit exceeded: 5/5 UNIT.` */
  readonly name: string;
  readonly unit: string;
  /** For forms: `Maximum NOUN in a month`. */
  readonly noun: string;
  /** The option `--month-WORD VALUE` that sets its limit, and its noun there. */
  readonly option: { readonly word: string; readonly value: string; readonly noun: string };
}

const TABLE = {
  requests: {
    field: 'requests',
    dayColumn: 'requests',
    ledgerColumn: 'counts_in_minute',
    adds: {
      month: ({ status }) => Number(status !== STEP_STATUS),
      minute: ({ countsInMinute }) => Number(countsInMinute),
    },
    name: 'request',
    unit: 'requests',
    noun: 'requests',
    option: { word: 'requests', value: 'N', noun: 'requests' },
  },
  scannedBytes: {
    field: 'data_scanned',
    dayColumn: 'scanned_bytes',
    ledgerColumn: 'scanned_bytes',
    adds: {
      month: ({ scannedBytes }) => scannedBytes,
      minute: ({ scannedBytes }) => scannedBytes,
    },
    name: 'data scanned',
    unit: 'bytes',
    noun: 'bytes scanned',
    option: { word: 'scanned', value: 'BYTES', noun: 'bytes read' },
  },
  returnedBytes: {
    field: 'data_returned',
    dayColumn: 'returned_bytes',
    ledgerColumn: 'returned_bytes',
    adds: {
      month: ({ returnedBytes }) => returnedBytes,
      minute: ({ returnedBytes }) => returnedBytes,
    },
    name: 'data returned',
    unit: 'bytes',
    noun: 'bytes returned',
    option: { word: 'returned', value: 'BYTES', noun: 'bytes sent' },
  },
} as const satisfies Readonly<Record<string, QuantityRule>>;

export type Quantity = keyof typeof TABLE;
export type QuantityField = (typeof TABLE)[Quantity]['field'];

export const QUANTITIES: Readonly<
  Record<Quantity, QuantityRule & { readonly field: QuantityField }>
> = TABLE;
export const QUANTITY_NAMES = Object.keys(QUANTITIES) as readonly Quantity[];

export type UsageAmounts = Readonly<Record<Quantity, number>>;
/** Usage of an account, in a month and in the last 60 seconds. */
export type QuotaUsage = Readonly<Record<QuotaSpan, UsageAmounts>>;
/** Usage that grows. */
export type UsageSums = Record<Quantity, number>;

export function ofEachQuantity<T>(make: (quantity: Quantity) => T): Record<Quantity, T> {
  const made: Partial<Record<Quantity, T>> = {};
  for (const quantity of QUANTITY_NAMES) made[quantity] = make(quantity);
  return made as Record<Quantity, T>;
}

export function noUsage(): UsageSums {
  return ofEachQuantity(() => 0);
}

/** The amount that a request adds to a span. */
export function usageOf(request: CountedRequest, span: QuotaSpan): UsageAmounts {
  return ofEachQuantity((quantity) => QUANTITIES[quantity].adds[span](request));
}

export function addUsage(sums: UsageSums, amounts: UsageAmounts): void {
  for (const quantity of QUANTITY_NAMES) sums[quantity] += amounts[quantity];
}
