/** The first records of a file, and the rows that a recipe makes of them. */

import { UNREADABLE } from '../engine/record-reading.ts';
import { CsvScanner } from '../ingest/csv-scanner.ts';
import { asLoaded } from '../ingest/ingest-files.ts';
import { type CsvSource, namedFailure } from '../ingest/load-sources.ts';
import { NumberedRecordsBuilder } from '../ingest/record-blocks.ts';
import type { Lake } from '../lake/lake.ts';
import { nameParts, type RecipeOpener } from './recipe-opener.ts';

const RECORD_COUNT = 3;

export interface ExplainedFile {
  readonly file: string;
  readonly recipe: string;
  readonly dataset: string;
  /** Parts of the file's name. */
  readonly name: Readonly<Record<string, string>>;
  /** Names of the fields that are read. */
  readonly fields: readonly string[];
  readonly columns: readonly string[];
  /** The first records as they stand in the file. */
  readonly before: readonly string[];
  /** The rows that they become. */
  readonly after: readonly (readonly (string | null)[])[];
}

async function firstRecords(opener: RecipeOpener, source: CsvSource) {
  const { fields, reading, chunks } = await opener.open(source);
  const builder = new NumberedRecordsBuilder(fields, reading);
  const before: string[] = [];
  const scanner = new CsvScanner(
    {
      record: (buffer, start, end, ...lines) => {
        if (before.length >= RECORD_COUNT) return;
        before.push(buffer.toString('utf8', start, end));
        builder.record(buffer, start, end, ...lines);
      },
      bad: ({ value }) => before.push(value),
    },
    1,
    reading.separator,
  );
  scanner.fieldCount = fields.length;
  for await (const chunk of chunks) {
    scanner.push(chunk);
    if (before.length >= RECORD_COUNT) break;
  }
  if (before.length < RECORD_COUNT) scanner.end();
  return { before, reading, block: builder.build() };
}

/** A text that cannot be read says so. */
function shownText(text: string | null): string | null {
  return text?.startsWith(UNREADABLE) ? `${text.slice(1)} (cannot be read)` : text;
}

export async function explainFile(
  lake: Lake,
  opener: RecipeOpener,
  source: CsvSource,
  signal: AbortSignal,
): Promise<ExplainedFile> {
  const { recipe } = opener;
  const first = await firstRecords(opener, source).catch((error: unknown) => {
    throw namedFailure(source.displayName, error);
  });
  const { before, reading, block } = first;
  const writer = await lake.openWriter(asLoaded(recipe.dataset, opener.zone), signal);
  try {
    const texts = block.recordCount > 0 ? ((await writer.records?.readTexts?.(block)) ?? []) : [];
    const [row = []] = reading.rows;
    return {
      file: source.displayName,
      recipe: recipe.recipe,
      dataset: recipe.dataset.textId,
      name: nameParts(recipe, source.displayName) ?? {},
      fields: block.columns.map(({ name }) => name),
      columns: row.map((c) => reading.texts[c]?.column.name ?? ''),
      before,
      after: texts.map((row) => row.map(shownText)),
    };
  } finally {
    await writer.close();
  }
}
