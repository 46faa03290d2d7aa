/** The first records of a file, and the rows that a recipe makes of them. */

import { columnsOfFields } from '../catalog/header-columns.ts';
import { UNREADABLE } from '../engine/record-reading.ts';
import { asLoaded } from '../ingest/ingest-files.ts';
import { type CsvSource, namedFailure } from '../ingest/load-sources.ts';
import { numberRecords } from '../ingest/record-blocks.ts';
import type { Lake } from '../lake/lake.ts';
import { nameParts, type RecipeOpener } from './recipe-opener.ts';
import { readHead } from './text-head.ts';

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

/** The first lines behind the header, and the records that they are. */
async function firstRecords(opener: RecipeOpener, source: CsvSource) {
  // Fields that are not read are shown, too.
  const { fields, reading, chunks } = await opener.open({ ...source, open: () => source.open() });
  const { skip_lines: skipped = 0 } = opener.recipe;
  const { lines, close } = await readHead(chunks, skipped + 1 + RECORD_COUNT, true);
  await close();
  const before = lines.filter((line) => line !== '').slice(0, RECORD_COUNT);
  const block = numberRecords({
    ...{ fields, reading, columns: columnsOfFields(fields), offsetColumns: new Set() },
    ...{ lineEnd: '\n', recordCount: before.length },
    parts: [Buffer.from(`${before.join('\n')}\n`)],
    origins: [{ file: source, line: 1, startByte: 0, startRecord: 0 }],
  });
  return { before, reading, block };
}

/** A text that cannot be read says so. */
function shownText(text: string | null): string | null {
  return text?.startsWith(UNREADABLE)
    ? `${text.replaceAll(UNREADABLE, '')} (cannot be read)`
    : text;
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
  const dataset = await asLoaded({ lake, ...recipe, timeZone: opener.zone, opener });
  const writer = await lake.openWriter(dataset, signal);
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
