/** The parameters that shape the pages of every data path: one schema reads each and documents it. */
import * as v from 'valibot';
import { FORMATS } from '../formats/formats.ts';
import { integerFrom, keywords, type Schema } from '../schema/schema.ts';
import type { DataRequestLimits } from './settings.ts';

/** A column's name in any definition. */
const NAME = '[A-Z][A-Za-z0-9]*';
const SORT_FIELD = `[-+ ]?${NAME}`;

const AS_OF_PATTERN =
  '^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,9})?)?(Z|[-+ ][0-9]{2}:[0-9]{2})?$';

/** What a request may say of tickers that meant more than one company; the first is the default. */
export const SYMBOL_CHOICES = ['any', 'strict'] as const;

const FORMAT_NAMES = FORMATS.map(({ name }) => name);
export function offsetSchema({ offsetMax }: DataRequestLimits) {
  return integerFrom(0, offsetMax);
}

/** Versions are counted from 1. */
export const versionSchema = integerFrom(1, Number.MAX_SAFE_INTEGER);

/** `rowsMax` is the largest page. */
export function limitSchema(rowsMax: number) {
  return integerFrom(1, rowsMax);
}

function limitDescription(limits: DataRequestLimits): string {
  const ofFormats = FORMATS.map(({ name, rowLimits }) => {
    const { default: fallback, max } = rowLimits(limits);
    return `${name} ${fallback}, at most ${max}`;
  });
  return `Maximum number of rows. Default and maximum by format: ${ofFormats.join('; ')}`;
}

interface PageParameter {
  readonly description: string | ((limits: DataRequestLimits) => string);
  readonly schema: (limits: DataRequestLimits) => Schema;
}

/** In the order of the documents. */
export const PAGE_PARAMETERS = {
  sort: {
    description: 'Columns to sort by, separated by commas; a leading - sorts descending',
    schema: ({ sortFieldsMax }) =>
      v.pipe(
        v.string(),
        keywords({ pattern: `^${SORT_FIELD}(,${SORT_FIELD}){0,${sortFieldsMax - 1}}$` }),
      ),
  },
  columns: {
    description: 'Columns to return, separated by commas, in that order',
    schema: () => v.pipe(v.string(), keywords({ pattern: `^${NAME}(,${NAME})*$` })),
  },
  offset: {
    description: 'Rows to skip',
    schema: (limits) => v.pipe(offsetSchema(limits), keywords({ default: 0 })),
  },
  limit: {
    description: limitDescription,
    schema: (limits) =>
      limitSchema(Math.max(...FORMATS.map(({ rowLimits }) => rowLimits(limits).max))),
  },
  response_format: {
    description: 'Format of the page; without it, what the header Accept wants most',
    schema: () => v.pipe(v.picklist(FORMAT_NAMES), keywords({ default: FORMATS[0].name })),
  },
  receipt: {
    description: 'Whether the answer has a signed receipt, in X-Receipt',
    schema: () => v.pipe(v.boolean(), keywords({ default: false })),
  },
  symbols: {
    description:
      'What happens to tickers that meant more than one company on the dates asked for: any tells of ' +
      'them in X-Symbols, strict refuses them',
    schema: () => v.pipe(v.picklist(SYMBOL_CHOICES), keywords({ default: SYMBOL_CHOICES[0] })),
  },
  continuous: {
    description:
      'Whether a ticker stands for the company that has it, under each ticker that the company has had',
    schema: () => v.pipe(v.boolean(), keywords({ default: false })),
  },
  dataset_version: {
    description: 'Version of the dataset to read; default: the current one',
    schema: () => versionSchema,
  },
  as_of: {
    description:
      'Reads the version that was current at this time, such as 2026-11-18T21:00:00Z; without an ' +
      "offset it is on the market's clock. Not together with dataset_version",
    schema: () => v.pipe(v.string(), keywords({ pattern: AS_OF_PATTERN })),
  },
} as const satisfies Readonly<Record<string, PageParameter>>;
