/** How a request says what is to be made of a file: fields of its query string. */
import { type Field, type Fields, optional } from '../admin/field.ts';
import { COUNT, choiceOf, FLAG, ID, REASON, SEARCHED_TEXT } from '../admin/field-kinds.ts';
import { ApiError, type LoadAllowance, type Problem, UsageError } from '../base/errors.ts';
import type { Dataset } from '../catalog/dataset.ts';
import { TIME_ZONE } from '../catalog/definition.ts';
import { requireHeaderRules } from '../catalog/header-columns.ts';
import type { BadValue } from '../engine/file-loading.ts';
import { LOAD_MODES } from '../ingest/ingest-files.ts';
import { UPLOAD_NAME, type Upload, type UploadOptions } from '../ingest/uploads/upload.ts';
import { type FoundRow, foundRowText } from '../lake/check-findings.ts';
import type { Lake } from '../lake/lake.ts';
import { defaultMode } from '../lake/publication-options.ts';
import { parseQueryString, type QueryParameter } from '../request/query-string.ts';
import { problemAt } from '../request/request-problem.ts';
import { readValue, valueOfText } from '../schema/read-value.ts';
import { legalText } from '../schema/schema.ts';

const DEFAULT_NAME = 'upload';

export const INGEST_FIELDS = {
  mode: optional(
    choiceOf(LOAD_MODES),
    'Whether the dates that the rows have are replaced (default where there are any), or the partitions ' +
      'that they fall into, or only the rows of their identifiers in them, or nothing',
  ),
  allow_loss: optional(FLAG, 'Publish even if dates lose more than they may (default: false)'),
  again: optional(FLAG, 'Load a file whose rows the dataset has or had already (default: false)'),
  allow_unended: optional(FLAG, 'Load text whose last line has no end (default: false)'),
  dry_run: optional(FLAG, 'Only say what would change and be refused (default: false)'),
  max_bad_rows: optional(COUNT, 'Bad rows that may be left out (default: 0)'),
  map: optional(SEARCHED_TEXT, 'OLD=NEW: read the column OLD of the file as NEW; may be repeated'),
  ignore_columns: optional(
    SEARCHED_TEXT,
    'Columns of the file to leave out, with commas between; may be repeated',
  ),
  time_zone: optional(
    TIME_ZONE,
    'Clock of times without an offset (default: as the definition says)',
  ),
  vendor: optional(SEARCHED_TEXT, 'Who the data comes from (default: unchanged)'),
  into: optional(
    ID,
    'An open publication to write into, which counts when it is committed (default: one of its own)',
  ),
  reason: optional(REASON, 'Why, for the ledger; an open publication has its own'),
  name: optional(SEARCHED_TEXT, 'Name of the file in reports (default: upload)'),
} satisfies Fields;

const REPEATED: readonly string[] = ['map', 'ignore_columns'];

function invalid(name: string, msg: string, input: unknown): Problem {
  return problemAt(['query', name], 'illegal_value', msg, input);
}

function problemOf({ name, value }: QueryParameter, all: readonly QueryParameter[]): Problem[] {
  const field = (INGEST_FIELDS as Readonly<Record<string, Field<unknown>>>)[name];
  const names = Object.keys(INGEST_FIELDS).join(', ');
  if (!Object.hasOwn(INGEST_FIELDS, name) || !field) {
    return [invalid(name, `Unexpected parameter '${name}'; there are ${names}`, value)];
  }
  const isTwice = all.filter((each) => each.name === name).length > 1;
  if (isTwice && !REPEATED.includes(name)) {
    return [invalid(name, `'${name}' should be given only once`, value)];
  }
  const { faults } = readValue(field.kind, valueOfText(field.kind, value));
  if (faults.length > 0)
    return [invalid(name, `'${name}' should be ${legalText(field.kind)}`, value)];
  if (name === 'name' && !UPLOAD_NAME.test(value)) {
    const legal =
      'letters, digits, dots, hyphens and underscores, up to 100, a letter or digit first';
    return [invalid(name, `'name' should be ${legal}`, value)];
  }
  if (name === 'map' && !/.=./.test(value)) {
    return [invalid(name, "'map' should be OLD=NEW, such as symbol=Ticker", value)];
  }
  return [];
}

function optionsOf(dataset: Dataset, parameters: readonly QueryParameter[]): UploadOptions {
  const valuesOf = (name: string) =>
    parameters.filter((each) => each.name === name).map(({ value }) => value);
  return {
    mode: LOAD_MODES.find((mode) => mode === valuesOf('mode')[0]) ?? defaultMode(dataset),
    allowsLoss: valuesOf('allow_loss')[0] === 'true',
    allowsRepeats: valuesOf('again')[0] === 'true',
    allowsUnended: valuesOf('allow_unended')[0] === 'true',
    isDryRun: valuesOf('dry_run')[0] === 'true',
    maxBadRows: Number(valuesOf('max_bad_rows')[0] ?? 0),
    renamed: valuesOf('map').map((text) => {
      const at = text.lastIndexOf('=');
      return [text.slice(0, at), text.slice(at + 1)] as const;
    }),
    ignored: valuesOf('ignore_columns').flatMap((text) => text.split(',')),
    timeZone: valuesOf('time_zone')[0] ?? null,
    vendor: valuesOf('vendor')[0] ?? null,
    into: valuesOf('into').map(Number)[0] ?? null,
    reason: valuesOf('reason')[0] ?? null,
  };
}

function requireRules(dataset: Dataset, { renamed, ignored }: UploadOptions): void {
  try {
    if (new Set(renamed.map(([from]) => from)).size < renamed.length) {
      throw new UsageError('a column is mapped twice');
    }
    requireHeaderRules(dataset, { renamed: new Map(renamed), ignored });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new ApiError('invalid', [invalid('map', error.message, null)]);
  }
}

function requireOneReason({ into, reason }: UploadOptions): void {
  if (into === null || reason === null) return;
  const msg = `'reason' should not be given with 'into': publication ${into} has its own`;
  throw new ApiError('invalid', [problemAt(['query', 'reason'], 'not_together', msg, reason)]);
}

/** Throws an ApiError 'invalid' where there is no such open publication to write into. */
export async function requireOpen({ ledger }: Lake, { into }: UploadOptions): Promise<void> {
  if (into === null || (await ledger.publication(into))?.isOpen) return;
  const msg = "'into' should be the id of a publication that is open";
  throw new ApiError('invalid', [invalid('into', msg, into)]);
}

/** Throws an ApiError 'invalid' with everything that is wrong. */
export function readIngestQuery(
  dataset: Dataset,
  queryString: string,
): { readonly name: string; readonly options: UploadOptions } {
  const parameters = parseQueryString(queryString);
  const problems = parameters.flatMap((each) => problemOf(each, parameters));
  if (problems.length > 0) throw new ApiError('invalid', problems);
  const options = optionsOf(dataset, parameters);
  requireOneReason(options);
  requireRules(dataset, options);
  const name = parameters.find((each) => each.name === 'name')?.value ?? DEFAULT_NAME;
  return { name, options };
}

/** The fields used from the report of a load. */
interface RefusedReport {
  /** Set by a dry run only. */
  readonly refusal?: string | null;
  readonly bad_row_count: number;
  readonly bad_values: readonly BadValue[];
  readonly checks: readonly {
    readonly severity: 'refuse' | 'warn';
    readonly name: string;
    readonly expected: string;
    readonly row_count: number;
    readonly rows: readonly (FoundRow & { readonly same_as?: string })[];
  }[];
}

type Check = RefusedReport['checks'][number];

export function bodyProblem(type: string, msg: string, input: unknown, ctx = {}): Problem {
  return { type, loc: ['body'], msg, input, ctx };
}

function badValueProblem({ file, line, column, value, reason }: BadValue): Problem {
  const what = `${column ?? 'the record'} ${JSON.stringify(value)}`;
  const msg = `${file}:${line}: ${what} is not ${reason}`;
  return bodyProblem('bad_value', msg, value, { file, line, column });
}

function badValueProblems({ bad_row_count: count, bad_values: values }: RefusedReport): Problem[] {
  const msg = `Nothing was published: ${count} bad ${count === 1 ? 'row' : 'rows'}; max_bad_rows=${count} would leave them out`;
  return [bodyProblem('bad_rows', msg, count), ...values.map(badValueProblem)];
}

function checkProblems({ name, expected, row_count: count, rows }: Check): Problem[] {
  const rowProblems = rows.map(({ same_as: sameAs, ...row }) => {
    const text = foundRowText(sameAs === undefined ? row : { ...row, sameAs });
    const { file, line } = row;
    return bodyProblem('bad_row', `${text}: ${expected}`, null, { file, line, check: name });
  });
  const breaking = count === 1 ? 'a row breaks' : `${count} rows break`;
  return [
    bodyProblem('check_failed', `Nothing was published: ${expected}, which ${breaking}`, count),
    ...rowProblems,
  ];
}

const ADVICE: Readonly<Record<LoadAllowance, string>> = {
  allow_loss: 'allow_loss=true publishes it all the same',
  again: 'again=true loads them once more',
  allow_unended: 'allow_unended=true loads it all the same',
};

function withAdvice(text: string, allowedBy: LoadAllowance | null): string {
  return allowedBy === null ? text : `${text}; ${ADVICE[allowedBy]}`;
}

/** The error that the sender of an upload can correct; null: none, or the report tells it. */
export function errorOf({ error, allowedBy }: Upload): string | null {
  return error === null ? null : withAdvice(error, allowedBy);
}

/** A 422 with everything that is known of the fault. */
export function refusalOf(upload: Upload): ApiError {
  const { report, options, allowedBy } = upload;
  const error = errorOf(upload);
  if (error !== null) return new ApiError('invalid', [bodyProblem('bad_file', error, null)]);
  const refused = report as RefusedReport;
  const failed = refused.checks.filter(({ severity }) => severity === 'refuse');
  if (failed.length > 0) return new ApiError('invalid', failed.flatMap(checkProblems));
  const { refusal = null, bad_row_count: badRowCount } = refused;
  const isForBadRows = refusal === null || badRowCount > options.maxBadRows;
  const problems = isForBadRows
    ? badValueProblems(refused)
    : [bodyProblem('bad_file', withAdvice(refusal, allowedBy), null)];
  return new ApiError('invalid', problems);
}
