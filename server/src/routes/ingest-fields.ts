/** How a request says what is to be made of a file: fields of its query string. */
import * as v from 'valibot';
import { type Fields, optional } from '../admin/field.ts';
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
import { loadRecipes } from '../recipes/load-recipes.ts';
import { problemAt } from '../request/request-problem.ts';
import { legal } from '../schema/schema.ts';
import type { Exchange, IngestServices } from './endpoint.ts';
import { readQuery } from './request-fields.ts';

const FILE_NAME = v.pipe(
  v.string(),
  v.regex(UPLOAD_NAME),
  legal('letters, digits, dots, hyphens and underscores, up to 100, a letter or digit first'),
);

export const INGEST_FIELDS = {
  mode: optional(
    choiceOf(LOAD_MODES),
    'Rows to replace: those of the dates that the file has (default where rows have dates), of the ' +
      'partitions that it falls into, of its identifiers in these, or none',
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
  as: optional(SEARCHED_TEXT, 'Recipe that reads the file (default: it names columns)'),
  name: optional(FILE_NAME, 'Name of the file in reports (default: upload)'),
} satisfies Fields;

const RENAMED = v.pipe(
  v.array(v.string()),
  v.check((texts) => texts.every((text) => /.=./.test(text))),
  legal('OLD=NEW, such as symbol=Ticker'),
);

/** As they are read: a list of the texts of each that may be repeated. */
const READ_FIELDS = {
  ...INGEST_FIELDS,
  map: optional(RENAMED, ''),
  ignore_columns: optional(v.array(v.string()), ''),
};
const REPEATED = ['map', 'ignore_columns'] as const;

function renamedColumn(text: string): readonly [from: string, to: string] {
  const at = text.lastIndexOf('=');
  return [text.slice(0, at), text.slice(at + 1)];
}

function requireOneReason({ into, reason }: UploadOptions): void {
  if (into === undefined || reason === undefined) return;
  const msg = `'reason' should not be given with 'into': publication ${into} has its own`;
  throw new ApiError('invalid', [problemAt(['query', 'reason'], 'not_together', msg, reason)]);
}

/** Throws an ApiError 'invalid' where there is no such open publication to write into. */
export async function requireOpen({ ledger }: Lake, { into }: UploadOptions): Promise<void> {
  if (into === undefined || (await ledger.publication(into))?.isOpen) return;
  const msg = "'into' should be the id of a publication that is open";
  throw new ApiError('invalid', [problemAt(['query', 'into'], 'illegal_value', msg, into)]);
}

/** Throws an ApiError 'invalid' where there is no such recipe of the dataset. */
function requireRecipe(
  { catalog, config }: IngestServices,
  dataset: Dataset,
  { as: recipe, map: renames = [], ignore_columns: lists = [] }: UploadOptions,
): void {
  if (recipe === undefined) return;
  const { recipes } = loadRecipes(config.home, catalog);
  const names = [...recipes.values()].flatMap((each) =>
    each.dataset.textId === dataset.textId ? [each.recipe] : [],
  );
  const legalNames = names.join(', ') || `absent: no recipe is one of ${dataset.textId}`;
  const problem = (type: string, msg: string) => problemAt(['query', 'as'], type, msg, recipe);
  if (!names.includes(recipe)) {
    throw new ApiError('invalid', [problem('illegal_value', `'as' should be ${legalNames}`)]);
  }
  if (renames.length + lists.length === 0) return;
  const msg = "'as' should not be given with 'map' or 'ignore_columns'";
  throw new ApiError('invalid', [problem('not_together', msg)]);
}

/** Throws an ApiError 'invalid' with everything that is wrong. */
export function readIngestQuery(
  exchange: Exchange<IngestServices>,
  dataset: Dataset,
): { readonly name: string; readonly options: UploadOptions } {
  const { name = 'upload', ...options } = readQuery(exchange, READ_FIELDS, REPEATED);
  requireOneReason(options);
  const { map: renames = [], ignore_columns: lists = [] } = options;
  try {
    const renamed = new Map(renames.map(renamedColumn));
    if (renamed.size < renames.length) throw new UsageError('a column is mapped twice');
    requireHeaderRules(dataset, { renamed, ignored: lists.flatMap((list) => list.split(',')) });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new ApiError('invalid', [
      problemAt(['query', 'map'], 'illegal_value', error.message, null),
    ]);
  }
  requireRecipe(exchange.services, dataset, options);
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
    readonly found?: string;
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

function checkProblems({ name, expected, row_count: count, rows, found }: Check): Problem[] {
  if (found !== undefined) {
    return [
      bodyProblem('check_failed', `Nothing was published: ${expected}; found ${found}`, null),
    ];
  }
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
  const isForBadRows = refusal === null || badRowCount > (options.max_bad_rows ?? 0);
  const problems = isForBadRows
    ? badValueProblems(refused)
    : [bodyProblem('bad_file', withAdvice(refusal, allowedBy), null)];
  return new ApiError('invalid', problems);
}
