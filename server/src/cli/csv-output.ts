/** Prints the rows of an operation as CSV, page by page: no file is too long for memory. */
import { once } from 'node:events';
import { csvRows, csvText, rowColumns } from '../admin/csv-text.ts';
import type { Operation } from '../admin/operation.ts';
import { printableText } from '../base/printable.ts';
import type { CommandContext } from './command.ts';
import type { Input } from './operation-options.ts';

interface RowsAnswer {
  readonly data: readonly Input[];
  readonly pagination?: { readonly next_after: number | null };
}

/** Rows of a page where nobody says how many. */
const PAGE_ROWS = 1000;
const LINE_END = '\n';

/** All rows, or those of one page where the input has a limit. */
export async function printCsv(
  { answer: schema, fields }: Pick<Operation, 'answer' | 'fields'>,
  { stdout, signal }: Pick<CommandContext, 'stdout' | 'signal'>,
  input: Input,
  ask: (input: Input) => Promise<unknown>,
): Promise<void> {
  const columns = rowColumns(schema);
  const isWalk = 'limit' in fields && input.limit === undefined;
  let asked = isWalk ? { ...input, limit: PAGE_ROWS } : input;
  for (let isFirst = true; ; isFirst = false) {
    const { data, pagination } = (await ask(asked)) as RowsAnswer;
    const text = (isFirst ? csvText : csvRows)(columns, data, LINE_END);
    if (!stdout.write(printableText(text))) await once(stdout, 'drain', { signal });
    signal.throwIfAborted();
    const after = pagination?.next_after ?? null;
    if (!isWalk || after === null) return;
    asked = { ...asked, after };
  }
}
