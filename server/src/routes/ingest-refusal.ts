/** Why nothing of a file was published, as its sender reads it: bad values and rows, each with its place. */
import { ApiError, type LoadAllowance, type Problem } from '../base/errors.ts';
import type { BadValue } from '../engine/file-loading.ts';
import type { Upload } from '../ingest/uploads/upload.ts';
import { type FoundRow, foundRowText } from '../lake/check-findings.ts';

/** What is read of the report of a load. */
interface RefusedReport {
  /** Of a dry run alone. */
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

/** What the sender of an upload has to change; null: nothing, or the report says what. */
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
