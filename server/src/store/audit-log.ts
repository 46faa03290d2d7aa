/** The audit log: one row for each administrative act, which nothing changes or removes again. */

export interface AuditEntry {
  readonly auditId: number;
  readonly happenedAtMs: number;
  /** Who: `identity:3/key:5` or `person:2`, or `local:NAME` at the command line. */
  readonly actor: string;
  /** From where: an address, or `command line`. */
  readonly source: string;
  readonly operation: string;
  /** The changed object: `identity:3`, `api_key:5`, `rule:7`, `person:2`. */
  readonly target: string;
  /** Plain objects; null where there was or is nothing. Never with a key in it. */
  readonly before: object | null;
  readonly after: object | null;
}

export interface AuditFilter {
  /** The whole actor, or the part of it before or behind a slash. */
  readonly actor?: string | undefined;
  /**
   * The e-mail address of a person, in any letters, or the name of an account or a key, of today or of an earlier time:
   * as the log has it, also of who is gone.
   */
  readonly actorName?: string | undefined;
  readonly operation?: string | undefined;
  readonly target?: string | undefined;
  /** Inclusive. */
  readonly fromMs?: number | undefined;
  /** Exclusive. */
  readonly toMs?: number | undefined;
}

export type AuditOrder = 'oldest first' | 'newest first';

export interface AuditLogReader {
  /** Up to `limit` entries that pass the filter, behind an id or, with 0, from the beginning. */
  list(
    filter: AuditFilter,
    order: AuditOrder,
    afterId: number,
    limit: number,
  ): Promise<AuditEntry[]>;
}

export interface AuditLog extends AuditLogReader {
  append(entry: Omit<AuditEntry, 'auditId'>): Promise<void>;
}
