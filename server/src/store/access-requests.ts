/** Requests of accounts for access to a dataset, which an owner grants or declines. */
import { insertedId, type Queries, selected } from './queries.ts';

export const ACCESS_REQUEST_STATES = ['open', 'granted', 'declined'] as const;
export type AccessRequestState = (typeof ACCESS_REQUEST_STATES)[number];

export interface AccessRequest {
  readonly requestId: number;
  readonly accountId: number;
  readonly datasetId: string;
  /** E-mail address of who asked, as it was then. */
  readonly askedBy: string;
  /** Purpose; '' if they did not say. */
  readonly note: string;
  readonly state: AccessRequestState;
  readonly createdAtMs: number;
  readonly decidedAtMs: number | null;
}

export type NewAccessRequest = Omit<AccessRequest, 'requestId' | 'state' | 'decidedAtMs'>;

export interface AccessRequestFilter {
  readonly accountId?: number | undefined;
  readonly state?: AccessRequestState | undefined;
}

const REQUESTS = `SELECT ${selected({
  requestId: 'request_id',
  accountId: 'identity_id',
  datasetId: 'dataset_id',
  askedBy: 'asked_by',
  note: 'note',
  state: 'state',
  createdAtMs: 'created_at',
  decidedAtMs: 'decided_at',
})} FROM access_request`;

export class AccessRequestReader {
  protected readonly queries: Queries;

  constructor(queries: Queries) {
    this.queries = queries;
  }

  async find(requestId: number): Promise<AccessRequest | null> {
    const sql = `${REQUESTS} WHERE request_id = $1`;
    return (await this.queries.get<AccessRequest>(sql, requestId)) ?? null;
  }

  /** Up to `limit` that pass the filter, behind an id; the newest first. 0: from the newest on. */
  list(
    { accountId, state }: AccessRequestFilter,
    beforeId: number,
    limit: number,
  ): Promise<AccessRequest[]> {
    return this.queries.all(
      `${REQUESTS} WHERE ($1::bigint = 0 OR request_id < $1)
         AND ($2::bigint IS NULL OR identity_id = $2) AND ($3::text IS NULL OR state = $3)
       ORDER BY request_id DESC LIMIT $4`,
      beforeId,
      accountId ?? null,
      state ?? null,
      limit,
    );
  }
}

export class AccessRequestTable extends AccessRequestReader {
  /** Returns the id, which no other request has had. */
  add(request: NewAccessRequest): Promise<number> {
    return insertedId(
      this.queries,
      `INSERT INTO access_request (identity_id, dataset_id, asked_by, note, created_at)
       VALUES ($1, $2, $3, $4, $5) RETURNING request_id AS id`,
      request.accountId,
      request.datasetId,
      request.askedBy,
      request.note,
      request.createdAtMs,
    );
  }

  async decide(requestId: number, state: AccessRequestState, decidedAtMs: number): Promise<void> {
    await this.queries.run(
      'UPDATE access_request SET state = $1, decided_at = $2 WHERE request_id = $3',
      state,
      decidedAtMs,
      requestId,
    );
  }
}
