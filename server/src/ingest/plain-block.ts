/** Blocks of plain records on their way to an engine, and how they are numbered where it declines one. */
import { columnsOfFields } from '../catalog/header-columns.ts';
import type { PlainBlock } from '../engine/file-loading.ts';
import { BlockBytes, type SpareParts } from './block-bytes.ts';
import { CsvScanner } from './csv-scanner.ts';
import {
  type NamedFile,
  type NumberedRecords,
  NumberedRecordsBuilder,
} from './numbered-records.ts';
import type { PlainForm } from './plain-records.ts';
import type { RowRun } from './row-places.ts';

/** Records of a file in a block of plain ones, each on a line of its own from `line` on. */
interface Origin {
  readonly file: NamedFile;
  readonly line: number;
  /** Bytes of the block in front of them. */
  readonly startByte: number;
  /** Records of the block in front of them. */
  readonly startRecord: number;
}

export interface PlainRecordsBlock extends PlainBlock {
  readonly origins: readonly Origin[];
}

export class PlainBlockBuilder {
  readonly form: PlainForm;
  readonly bytes: BlockBytes;
  readonly #origins: Origin[] = [];
  #recordCount = 0;

  constructor(form: PlainForm, spare: SpareParts) {
    this.form = form;
    this.bytes = new BlockBytes(spare);
  }

  append(buffer: Buffer, end: number, recordCount: number, file: NamedFile, line: number) {
    if (this.#origins.at(-1)?.file !== file) {
      const startRecord = this.#recordCount;
      this.#origins.push({ file, line, startByte: this.bytes.length, startRecord });
    }
    this.bytes.append(buffer, 0, end);
    this.#recordCount += recordCount;
  }

  build(): PlainRecordsBlock {
    const { fields, offsetColumns, lineEnd } = this.form;
    const columns = columnsOfFields(fields);
    const parts = this.bytes.parts();
    const records = { parts, recordCount: this.#recordCount, origins: this.#origins };
    return { fields, columns, offsetColumns, lineEnd, ...records };
  }
}

/** Where the records come from. */
export function runsOf({ origins, recordCount }: PlainRecordsBlock): RowRun[] {
  return origins.map(({ file, line, startRecord }, o) => {
    const end = origins[o + 1]?.startRecord ?? recordCount;
    return { file: file.displayName, line, rowCount: end - startRecord };
  });
}

/** The same records with numbers. */
export function numberRecords({ fields, parts, origins }: PlainRecordsBlock): NumberedRecords {
  const builder = new NumberedRecordsBuilder(fields);
  const bytes = Buffer.concat(parts);
  origins.forEach(({ file, line, startByte }, o) => {
    builder.beginFile(file);
    // The header is cut off, so even the first line has no byte order mark.
    const scanner = new CsvScanner(builder, line);
    scanner.push(bytes.subarray(startByte, origins[o + 1]?.startByte ?? bytes.length));
  });
  return builder.build();
}
