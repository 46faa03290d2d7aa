/**
 * The way of records into any engine: each is cut into fields, its values are parsed, and the good
 * rows are appended in batches.
 */
import type { Column, Dataset } from '../catalog/dataset.ts';
import { acceptedByColumn } from '../engine/accepted-values.ts';
import { batchOfRows, type CellValue } from '../engine/columns.ts';
import type { PartWriter } from '../engine/engine.ts';
import type { BadField, BlockReport, NumberedBlock, RecordLoader } from '../engine/file-loading.ts';
import { parseValue } from './parse-value.ts';
import { type RowRule, rowRule } from './row-rules.ts';

const BATCH_ROWS = 8192;
const SHOWN_CHARACTERS = 200;

type Texts = readonly (string | null)[];

/** A field: its text, or null where nothing stands between the commas. */
const FIELD = /(?:"((?:[^"]|"")*)"|([^,\n"]*))([,\n])/y;

/** The fields of each of the records, of which each ends with a line feed. */
function* recordsIn(text: string): Generator<Texts> {
  let fields: (string | null)[] = [];
  FIELD.lastIndex = 0;
  while (FIELD.lastIndex < text.length) {
    const found = FIELD.exec(text);
    if (!found) throw new Error('a block holds a record that cannot be read');
    const [, quoted, plain, end] = found;
    fields.push(quoted?.replaceAll('""', '"') ?? (plain || null));
    if (end === ',') continue;
    const { lastIndex } = FIELD;
    yield fields;
    FIELD.lastIndex = lastIndex;
    fields = [];
  }
}

/** How the values of one column of a block are judged. */
interface ColumnCheck {
  readonly column: Column;
  /** A row without it has no place to go to. */
  readonly isNeeded: boolean;
  readonly rule: RowRule | null;
}

class RecordJudge {
  readonly #dataset: Dataset;
  readonly #checks: readonly ColumnCheck[];

  constructor(dataset: Dataset, columns: readonly Column[]) {
    this.#dataset = dataset;
    this.#checks = columns.map((column, c) => ({
      column,
      isNeeded: column.name === dataset.partitioning.column,
      rule: rowRule(dataset, columns, c),
    }));
  }

  /** The values of a record; undefined where a text does not fit. */
  parse(texts: Texts): (CellValue | undefined)[] {
    const { fileTimeZone } = this.#dataset;
    return this.#checks.map(({ column }, c) => {
      const text = texts[c] ?? null;
      return text === null ? null : parseValue(column, fileTimeZone, text);
    });
  }

  /** Faults of the values of a record; empty: none. */
  judge(recordNumber: number, texts: Texts, cells: readonly (CellValue | undefined)[]): BadField[] {
    return this.#checks.flatMap(({ column, isNeeded, rule }, c) => {
      const fits = cells[c] !== undefined && !(isNeeded && cells[c] === null);
      if (fits && (rule?.isKept(cells) ?? true)) return [];
      const text = texts[c] ?? null;
      const ruled = fits ? rule?.accepts(texts) : undefined;
      return {
        recordNumber,
        column: column.name,
        value: (text ?? '').slice(0, SHOWN_CHARACTERS),
        reason: ruled ?? acceptedByColumn(column, this.#dataset.fileTimeZone, text),
      };
    });
  }
}

/** Loads records into a writer that takes batches alone. */
export class BatchRecords implements RecordLoader {
  readonly #writer: PartWriter;
  readonly #dataset: Dataset;

  constructor(writer: PartWriter, dataset: Dataset) {
    this.#writer = writer;
    this.#dataset = dataset;
  }

  /** Every record is parsed here, so that plain ones would not be faster by themselves. */
  async loadPlainRecords(): Promise<boolean> {
    return false;
  }

  async loadNumberedRecords(block: NumberedBlock, shownCount: number): Promise<BlockReport> {
    const { fields, columns, parts } = block;
    const read = fields.flatMap((field, f) => (field === null ? [] : [f]));
    const judge = new RecordJudge(this.#dataset, columns);
    const places = this.#dataset.columns.map((column) => columns.indexOf(column));
    const badFields: BadField[] = [];
    const badRecordNumbers: number[] = [];
    let rows: CellValue[][] = [];
    let rowCount = 0;
    const append = async () => {
      rowCount += rows.length;
      if (rows.length > 0) await this.#writer.append(batchOfRows(this.#dataset.columns, rows));
      rows = [];
    };
    for (const part of parts) {
      for (const [number, ...all] of recordsIn(part.toString())) {
        const texts = read.map((f) => all[f] ?? null);
        const cells = judge.parse(texts);
        const bad = judge.judge(Number(number), texts, cells);
        if (bad.length === 0) rows.push(places.map((c) => (cells[c] ?? null) as CellValue));
        else {
          badRecordNumbers.push(Number(number));
          if (badFields.length < shownCount) badFields.push(...bad);
        }
        if (rows.length === BATCH_ROWS) await append();
      }
    }
    await append();
    const badRowCount = badRecordNumbers.length;
    return { rowCount, badRowCount, badFields: badFields.slice(0, shownCount), badRecordNumbers };
  }
}
