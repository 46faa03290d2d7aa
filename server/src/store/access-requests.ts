/** Requests of accounts for access to a dataset, which an owner grants or declines. */

export const ACCESS_REQUEST_STATES = ['open', 'granted', 'declined'] as const;
export type AccessRequestState = (typeof ACCESS_REQUEST_STATES)[number];

export interface AccessRequest {
  readonly requestId: number;
  readonly identityId: number;
  readonly datasetId: string;
  /** E-mail address of who asked, as it was then. */
  readonly askedBy: string;
  /** What they want it for; '' if they did not say. */
  readonly note: string;
  readonly state: AccessRequestState;
  readonly createdAtMs: number;
  readonly decidedAtMs: number | null;
}

export type NewAccessRequest = Omit<AccessRequest, 'requestId' | 'state' | 'decidedAtMs'>;

export interface AccessRequestFilter {
  readonly identityId?: number | undefined;
  readonly state?: AccessRequestState | undefined;
}

export interface AccessRequestReader {
  find(requestId: number): Promise<AccessRequest | null>;
  /** Up to `limit` that pass the filter, behind an id; the newest first. 0: from the newest on. */
  list(filter: AccessRequestFilter, beforeId: number, limit: number): Promise<AccessRequest[]>;
}

export interface AccessRequestTable extends AccessRequestReader {
  /** Returns the id, which no other request has had. */
  add(request: NewAccessRequest): Promise<number>;
  decide(requestId: number, state: AccessRequestState, decidedAtMs: number): Promise<void>;
}
