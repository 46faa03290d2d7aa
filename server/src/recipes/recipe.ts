/**
 * The schema of a recipe file, which says how a vendor's files become rows of a dataset: each field
 * with its legal values and its meaning.
 */
import * as v from 'valibot';
import type { Dataset } from '../catalog/dataset.ts';
import { EXPECTATIONS } from '../catalog/expectations.ts';
import { legal, needed, objectOf, oneOf, optional, wholeNumber } from '../schema/schema.ts';
import { isTimeZone, TIME_ZONE_LEGAL } from '../time/time-zone.ts';

export const SEPARATORS = { comma: ',', semicolon: ';', pipe: '|', tab: '\t' } as const;
export const EPOCHS = { s: 0, ms: 3, us: 6, ns: 9 } as const;
export const ENCODINGS = ['utf-8', 'windows-1252'] as const;
const REPLACES = ['dates', 'partitions', 'identifiers', 'dataset', 'nothing'] as const;
const OTHERWISE = ['refuse', 'keep', 'empty'] as const;

const TEXT = v.pipe(v.string(), v.minLength(1), legal('a text (numbers in quotes)'));
/** YAML reads `00` and `12` as numbers, which is not what the file says. */
const TEXTS = v.pipe(v.array(TEXT), v.minLength(1), legal('a list of texts (numbers in quotes)'));
const MEANINGS = v.pipe(
  v.record(v.string(), v.string()),
  legal('a mapping from text to text (numbers in quotes)'),
);

const TEXT_OR_TEXTS = v.pipe(v.union([TEXT, TEXTS]), legal('a text, or a list of them'));

/** How the value of a column comes about. */
export const COLUMN_RULE = objectOf({
  from: optional(
    TEXT_OR_TEXTS,
    "The field of the file, or several, joined by a space. `file.NAME` is a part of the file's name, `trailer.NAME` of its last line.",
  ),
  constant: optional(TEXT, 'The value of every row, in place of `from`.'),
  by: optional(
    TEXT_OR_TEXTS,
    'With `fields`, in place of `from`: the field of the file whose text chooses the one that is read, or several, joined by a space.',
  ),
  fields: optional(
    MEANINGS,
    'The field that each text of `by` chooses. Others are refused, or null with `otherwise: empty`.',
  ),
  if_empty: optional(TEXT, 'What is read in place of an empty field.'),
  undefined: optional(TEXTS, 'Texts that mean null, besides an empty field.'),
  extract: optional(
    TEXT,
    'A regular expression (RE2) for the whole text; its first group is read.',
  ),
  legal: optional(TEXT, 'What the rule accepts, in words, for error messages.'),
  rewrite: optional(
    MEANINGS,
    'New texts by regular expressions (RE2) for the whole text, of which the first that matches is used; \\1 is its first group. Other texts are kept, or refused with `otherwise: refuse`.',
  ),
  without_end: optional(TEXT, 'What is left out at the end of the text, if it is there.'),
  replace: optional(MEANINGS, 'Texts that are replaced wherever they stand, in this order.'),
  time: optional(
    TEXT_OR_TEXTS,
    'The form of a date or a time, or several, of which the first that fits is read.',
  ),
  minus_seconds: optional(
    wholeNumber(1, 86_400),
    'Only with `time` without an offset. So many seconds are taken away, as from bars that are stamped with their end.',
  ),
  epoch: optional(
    oneOf(['s', 'ms', 'us', 'ns']),
    'The text is a number of seconds, milliseconds, microseconds or nanoseconds since 1970 (UTC).',
  ),
  midnight: optional(
    v.pipe(v.union([v.boolean(), v.literal('UTC')]), legal('true, false or UTC')),
    "Only with `epoch`. `true`: every time must be midnight by the market's clock, as in daily bars. `false`: none may be. `UTC`: every time must be midnight in UTC, and a date is the one that begins with it.",
  ),
  scaled: optional(
    wholeNumber(1, 18),
    'The text is an integer. Its last digits, as many as this number, stand after a point that is not written.',
  ),
  hexadecimal: optional(
    v.pipe(v.literal(true), legal('true')),
    'The text is an integer in hexadecimal digits.',
  ),
  decimal: optional(TEXT, 'What stands for the decimal point, such as a comma.'),
  group: optional(TEXT, 'What stands between groups of three digits.'),
  table: optional(MEANINGS, 'The value of each text.'),
  bits: optional(
    v.pipe(
      v.record(
        v.string(),
        v.union([
          v.literal('none'),
          v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(62)),
        ]),
      ),
      legal('a mapping from codes to numbers from 0 to 62, or to none'),
    ),
    'The bit of each code in the text; the value is their sum. A code with none is known and has no bit.',
  ),
  separated_by: optional(
    TEXT,
    'What stands between the codes of `bits`; left out, each character is a code.',
  ),
  otherwise: optional(
    oneOf(OTHERWISE),
    'What becomes of texts and codes that `table`, `bits` or `extract` do not have: they are refused, kept, or null. `refuse` when left out. Without these, `refuse` refuses what `rewrite` does not match.',
  ),
});
export type ColumnRule = v.InferOutput<typeof COLUMN_RULE>;

const TEXTS_OF_FIELDS = v.pipe(
  v.record(v.string(), v.array(v.string())),
  legal('a mapping from fields to lists of texts'),
);
const COLUMNS = v.pipe(
  v.record(
    v.string(),
    v.union([v.string(), v.custom<object>((value) => typeof value === 'object')]),
  ),
  legal('a mapping from columns to rules'),
);

export const RECIPE = objectOf({
  recipe: needed(
    v.pipe(v.string(), v.regex(/^[a-z][a-z0-9-]*$/), legal('lower-case words joined by hyphens')),
    'Name, which `--as` takes.',
  ),
  title: needed(TEXT, 'What files it reads, in a few words.'),
  vendor: needed(TEXT, 'Who the data comes from, unless `--vendor` says so.'),
  layout: optional(TEXT, 'Address of the page on which the vendor describes the files.'),
  notes: optional(TEXTS, 'Sentences about the files and their rows, for those who load them.'),
  dataset: needed(TEXT, 'The `text_id` of the dataset.'),
  file_name: optional(
    TEXT,
    "Form of the file's name without `.gz` and the like: `*` is any text, `{NAME}` a part that columns can use, and `{date:FORM}` a date.",
  ),
  separator: optional(oneOf(['comma', 'semicolon', 'pipe', 'tab']), '`comma` when left out.'),
  encoding: optional(oneOf(ENCODINGS), '`utf-8` when left out.'),
  skip_lines: optional(
    wholeNumber(1, 100),
    'Lines in front of the header, or of the first record.',
  ),
  fields: optional(TEXTS, 'Names of the fields in their order, for files without a header line.'),
  trailer: optional(
    TEXT,
    'Form of the last line: `*` is any text, `{rows}` the number of records, `{date:FORM}` a date, which is that in the name if the name has one.',
  ),
  time_zone: optional(
    v.pipe(v.string(), v.check(isTimeZone), legal(TIME_ZONE_LEGAL)),
    'Clock of times without an offset; that of the dataset when left out.',
  ),
  columns: needed(
    COLUMNS,
    'For each column of the dataset the field that it comes from, or its rule.',
  ),
  rows: optional(
    v.pipe(v.array(COLUMNS), v.minLength(1), legal('a list of columns')),
    'The columns of each row, where a record becomes several.',
  ),
  only: optional(TEXTS_OF_FIELDS, 'Only records with one of these texts in the field become rows.'),
  except: optional(TEXTS_OF_FIELDS, 'Records with one of these texts in the field become no rows.'),
  optional_fields: optional(TEXTS, 'Fields that a file may lack; what comes from them is null.'),
  other_names: optional(
    TEXTS_OF_FIELDS,
    'Other names of fields in header lines. Capitals make no difference to a recipe with some.',
  ),
  unread_fields: optional(TEXTS, 'Further fields of the file, which are not read.'),
  other_fields: optional(
    oneOf(['refuse', 'warn']),
    'What becomes of a file with fields that the recipe does not know. `refuse` when left out.',
  ),
  one_date: optional(
    v.pipe(v.boolean(), legal('true or false')),
    "True if all rows have the date in the file's name.",
  ),
  expect: optional(
    EXPECTATIONS,
    'What a delivery has to bring, as in [definitions](dataset-definitions.md#deliveries).',
  ),
  replace: optional(
    oneOf(REPLACES),
    'What a load replaces, unless `--replace` or `--append` says so. `nothing`: its rows are added.',
  ),
});
export type RecipeFields = v.InferOutput<typeof RECIPE>;

/** Rules by the names of columns. */
export type ColumnRules = ReadonlyMap<string, ColumnRule>;

/** A recipe that has been found legal. */
export interface Recipe extends Omit<RecipeFields, 'columns' | 'rows' | 'dataset'> {
  readonly dataset: Dataset;
  /** The columns of each row that a record becomes. */
  readonly rowRules: readonly ColumnRules[];
  /** Fields that a file has to have. */
  readonly neededFields: ReadonlySet<string>;
  /** All fields that it knows. */
  readonly knownFields: ReadonlySet<string>;
  /** The fields by all of their names in lower case; null: it has no other names. */
  readonly fieldsByName: ReadonlyMap<string, string> | null;
  /** True if it uses a part of the last line. */
  readonly usesTrailer: boolean;
  readonly path: string;
  readonly text: string;
}
