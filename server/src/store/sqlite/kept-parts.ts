/** The parts that versions are made of, in the index or in a copy of it. */
import { DatabaseSync } from 'node:sqlite';
import { UsageError } from '../../base/errors.ts';
import type { KeptPart, KeptParts, KeptTotals, LakeIndexCopy } from '../kept-parts.ts';
import { schemaVersion } from './database.ts';
import { LAKE_MIGRATIONS } from './lake-schema.ts';
import { openingError } from './sqlite-errors.ts';
import { type Statement, type StatementSource, Statements } from './statements.ts';

const SQL = {
  parts: `SELECT part_id AS id, dataset_id AS datasetId, key, location, digest,
      stored_byte_count AS storedByteCount, EXISTS (SELECT 1 FROM part_span
        WHERE part_span.part_id = part.part_id AND end_version IS NULL) AS isCurrent
    FROM part WHERE part_id > ? AND retired_at IS NULL ORDER BY part_id LIMIT ?`,
  totals: `SELECT count(*) AS partCount, coalesce(sum(stored_byte_count), 0) AS storedByteCount
    FROM part WHERE retired_at IS NULL`,
  kept: 'SELECT 1 FROM part WHERE location = ? AND retired_at IS NULL',
  known: `SELECT 1 FROM part WHERE location = ?1
    UNION ALL SELECT 1 FROM pending_part WHERE location = ?1`,
};

export class KeptPartsTable implements KeptParts {
  readonly #parts: Statement;
  readonly #totals: Statement;
  readonly #kept: Statement;
  readonly #known: Statement;

  constructor(source: StatementSource) {
    this.#parts = source.prepare(SQL.parts);
    this.#totals = source.prepare(SQL.totals);
    this.#kept = source.prepare(SQL.kept);
    this.#known = source.prepare(SQL.known);
  }

  async keptParts(afterId: number, count: number): Promise<KeptPart[]> {
    const rows = this.#parts.all(afterId, count);
    return rows.map((row) => ({ ...(row as unknown as KeptPart), isCurrent: row.isCurrent === 1 }));
  }

  async keptTotals(): Promise<KeptTotals> {
    return this.#totals.get() as unknown as KeptTotals;
  }

  async keepsLocation(location: string): Promise<boolean> {
    return this.#kept.get(location) !== undefined;
  }

  async knowsLocation(location: string): Promise<boolean> {
    return this.#known.get(location) !== undefined;
  }
}

class SqliteIndexCopy extends KeptPartsTable implements LakeIndexCopy {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    super(statements);
    this.#statements = statements;
  }

  async close(): Promise<void> {
    this.#statements.close();
  }
}

/** Opens a copy of an index as `StoreSnapshot.copyTo` has written it; nothing is made beside it. */
export function openSqliteIndexCopy(path: string): LakeIndexCopy {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { readOnly: true });
    const version = schemaVersion(database);
    // Those in between are brought up to date when they are a home's, and have what is read here.
    if (version > LAKE_MIGRATIONS.length || version <= LAKE_MIGRATIONS.lastIndexOf(null) + 1) {
      throw new UsageError(
        `${path} was written by another release (schema ${version}, this one knows ${LAKE_MIGRATIONS.length})`,
      );
    }
    return new SqliteIndexCopy(new Statements(database));
  } catch (error) {
    database?.close();
    throw openingError(path, error);
  }
}
