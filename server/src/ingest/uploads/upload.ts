/** A file on its way from an administrator into a dataset. */
import { randomBytes } from 'node:crypto';
import type { LoadAllowance } from '../../base/errors.ts';
import type { LoadMode } from '../ingest-files.ts';

/** How a load ended; `unchanged`: the file has no rows, or the dataset has them already. */
const END_STATES = ['published', 'unchanged', 'refused', 'failed'] as const;
/** `receiving`: bytes are missing; `waiting`: another load runs. */
export const UPLOAD_STATES = ['receiving', 'waiting', 'loading', ...END_STATES] as const;

/** Options of `ticklake ingest`, by their names with underscores; absent: as it is by default. */
export interface UploadOptions {
  readonly mode?: LoadMode | undefined;
  /** The recipe that reads the file; absent: it names columns of the dataset. */
  readonly as?: string | undefined;
  /** Nothing is published: the report says what would change. */
  readonly dry_run?: boolean | undefined;
  readonly max_bad_rows?: number | undefined;
  /** Each is OLD=NEW. */
  readonly map?: readonly string[] | undefined;
  /** Each is a list with commas. */
  readonly ignore_columns?: readonly string[] | undefined;
  /** The open publication that is written into; absent: one of the load's own. */
  readonly into?: number | undefined;
  readonly reason?: string | undefined;
  readonly [others: string]: string | number | boolean | readonly string[] | undefined;
}

export interface LoadEnd {
  readonly state: (typeof END_STATES)[number];
  /** As `ticklake ingest --json` prints it; null: nothing was read. */
  readonly report: object | null;
  /** Text of the refusal for the sender; null if there is none, or the report has it. */
  readonly error: string | null;
  /** The option that would publish it; null if none would. */
  readonly allowedBy: LoadAllowance | null;
}

export interface NewUpload {
  readonly datasetId: string;
  /** Plain file name, for reports. */
  readonly name: string;
  readonly options: UploadOptions;
  /** Who sends it, and from where, as the audit log says it. */
  readonly actor: string;
  readonly source: string;
}

export interface Upload extends NewUpload {
  readonly uploadId: string;
  readonly createdAtMs: number;
  /** When its last byte came, or its load ended. */
  changedAtMs: number;
  /** Bytes that have come. */
  offset: number;
  state: (typeof UPLOAD_STATES)[number];
  report: object | null;
  error: string | null;
  allowedBy: LoadAllowance | null;
}

/** Names that are the same in every file system, and mean nothing else to the command line. */
export const UPLOAD_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

export function hasEnded({ state }: Pick<Upload, 'state'>): boolean {
  return END_STATES.some((end) => end === state);
}

export function newUpload(given: NewUpload, nowMs: number): Upload {
  return {
    ...given,
    uploadId: randomBytes(16).toString('hex'),
    createdAtMs: nowMs,
    changedAtMs: nowMs,
    offset: 0,
    state: 'receiving',
    report: null,
    error: null,
    allowedBy: null,
  };
}
