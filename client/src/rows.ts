/** Rows from CSV in gzip: of pages, and of files. */
import { CsvReader, type CsvRecord } from './csv.ts';
import { IntegrityError } from './errors.ts';
import type { DataType } from './named-types.ts';
import { type ReadValue, type Row, type Value, valueReader } from './values.ts';

interface TypedColumn {
  readonly name: string;
  readonly data_type: DataType;
}

/** Text of gzip. Throws an IntegrityError if its checksum is wrong. */
export async function unzipped(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  try {
    return await new Response(stream).text();
  } catch (error) {
    throw new IntegrityError(`The gzip of a page is not whole: ${(error as Error).message}`);
  }
}

/** Columns of changed rows, before the dataset's own. */
const CHANGE_COLUMNS: readonly string[] = ['Change', 'RowChange'];

/** Makes rows of records, by a header line that comes first. */
export class RowReader {
  readonly #csv = new CsvReader();
  readonly #types: ReadonlyMap<string, DataType>;
  #names: readonly string[] | null = null;
  #readers: readonly ReadValue[] = [];

  constructor(columns: readonly TypedColumn[]) {
    this.#types = new Map(columns.map(({ name, data_type }) => [name, data_type]));
  }

  /** The rows that are whole by now. Throws an IntegrityError for text that is no such CSV. */
  *read(text: string): Generator<Row> {
    try {
      for (const record of this.#csv.read(text)) {
        if (this.#names === null) this.#begin(record);
        else yield this.#rowOf(record, this.#names);
      }
    } catch (error) {
      if (error instanceof SyntaxError) throw new IntegrityError(error.message);
      throw error;
    }
  }

  /** Throws an IntegrityError where the text ended amid a record. */
  end(): void {
    this.#csv.end();
  }

  #begin(names: CsvRecord): void {
    this.#names = names.map((name) => name ?? '');
    this.#readers = this.#names.map((name) => valueReader(this.#typeOf(name)));
  }

  #typeOf(name: string): DataType {
    const type = this.#types.get(name) ?? (CHANGE_COLUMNS.includes(name) ? 'string' : null);
    if (type !== null) return type;
    throw new SyntaxError(
      `The column ${name} has come to the dataset since it was asked for its columns: ask for the dataset anew`,
    );
  }

  #rowOf(record: CsvRecord, names: readonly string[]): Row {
    if (record.length !== names.length) {
      throw new SyntaxError(`A row has ${record.length} fields, not ${names.length}`);
    }
    const row: Record<string, Value> = {};
    for (let c = 0; c < names.length; c++) {
      const text = record[c] as string | null;
      row[names[c] as string] = text === null ? null : (this.#readers[c] as ReadValue)(text);
    }
    return row;
  }
}
