/** Requests of accounts for access to a dataset, which an owner grants or declines. */
import { RecordReader, Records } from './records.ts';

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

export interface AccessRequestFilter {
  readonly accountId?: number | undefined;
  readonly state?: AccessRequestState | undefined;
}

const REQUESTS = new Records<AccessRequest>({
  table: 'access_request',
});

export class AccessRequestReader extends RecordReader<AccessRequest> {
  protected readonly records = REQUESTS;

  /** Up to `limit` that pass the filter, behind an id; the newest first. 0: from the newest on. */
  list(
    { accountId, state }: AccessRequestFilter,
    beforeId: number,
    limit: number,
  ): Promise<AccessRequest[]> {
    return this.all(
      `WHERE ($1::bigint = 0 OR request_id < $1)
         AND ($2::bigint IS NULL OR identity_id = $2) AND ($3::text IS NULL OR state = $3)
       ORDER BY request_id DESC LIMIT $4`,
      ...[beforeId, accountId ?? null, state ?? null, limit],
    );
  }
}

export class AccessRequestTable extends AccessRequestReader {
  add(request: Omit<AccessRequest, 'requestId' | 'state' | 'decidedAtMs'>): Promise<number> {
    return this.insert(request);
  }

  decide(requestId: number, state: AccessRequestState, decidedAtMs: number): Promise<void> {
    return this.change(requestId, { state, decidedAtMs });
  }
}
