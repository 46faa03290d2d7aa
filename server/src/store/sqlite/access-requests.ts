/** The table of requests for access. */
import type {
  AccessRequest,
  AccessRequestFilter,
  AccessRequestState,
  AccessRequestTable,
  NewAccessRequest,
} from '../access-requests.ts';
import type { Row, StatementSource } from './statements.ts';

export const ACCESS_REQUEST_SCHEMA = `
  CREATE TABLE access_request (
    request_id INTEGER PRIMARY KEY AUTOINCREMENT,
    identity_id INTEGER NOT NULL REFERENCES identity ON DELETE CASCADE,
    dataset_id TEXT NOT NULL,
    asked_by TEXT NOT NULL,
    note TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'open',
    created_at INTEGER NOT NULL,
    decided_at INTEGER
  ) STRICT;
  CREATE INDEX access_request_of_identity ON access_request (identity_id, state);
  -- One may be open for a dataset.
  CREATE UNIQUE INDEX access_request_open ON access_request (identity_id, dataset_id)
    WHERE state = 'open';
`;

function requestOf(row: Row): AccessRequest {
  return {
    requestId: Number(row.request_id),
    identityId: Number(row.identity_id),
    datasetId: String(row.dataset_id),
    askedBy: String(row.asked_by),
    note: String(row.note),
    state: row.state as AccessRequestState,
    createdAtMs: Number(row.created_at),
    decidedAtMs: row.decided_at === null ? null : Number(row.decided_at),
  };
}

export class SqliteAccessRequests implements AccessRequestTable {
  readonly #statements: StatementSource;

  constructor(statements: StatementSource) {
    this.#statements = statements;
  }

  async find(requestId: number): Promise<AccessRequest | null> {
    const row = this.#statements
      .prepare('SELECT * FROM access_request WHERE request_id = ?')
      .get(requestId);
    return row ? requestOf(row) : null;
  }

  async list(
    { identityId, state }: AccessRequestFilter,
    beforeId: number,
    limit: number,
  ): Promise<AccessRequest[]> {
    return this.#statements
      .prepare(
        `SELECT * FROM access_request WHERE (:before = 0 OR request_id < :before)
           AND (:identity IS NULL OR identity_id = :identity) AND (:state IS NULL OR state = :state)
         ORDER BY request_id DESC LIMIT :limit`,
      )
      .all({ before: beforeId, identity: identityId ?? null, state: state ?? null, limit })
      .map(requestOf);
  }

  async add(request: NewAccessRequest): Promise<number> {
    const { lastInsertRowid } = this.#statements
      .prepare(
        `INSERT INTO access_request (identity_id, dataset_id, asked_by, note, created_at)
         VALUES (?, ?, ?, ?, ?)`,
      )
      .run(
        request.identityId,
        request.datasetId,
        request.askedBy,
        request.note,
        request.createdAtMs,
      );
    return Number(lastInsertRowid);
  }

  async decide(requestId: number, state: AccessRequestState, decidedAtMs: number): Promise<void> {
    this.#statements
      .prepare('UPDATE access_request SET state = ?, decided_at = ? WHERE request_id = ?')
      .run(state, decidedAtMs, requestId);
  }
}
