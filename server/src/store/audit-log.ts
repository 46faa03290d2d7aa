/** The audit log: one row for each administrative act, which nothing changes or removes again. */
import { RecordReader, Records } from './records.ts';

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
   * The e-mail address of a person, in any letters, or the name of an account or a key, of today or
   * of an earlier time: as the log has it, also of who is gone.
   */
  readonly actorName?: string | undefined;
  readonly operation?: string | undefined;
  readonly target?: string | undefined;
  /** Inclusive. */
  readonly fromMs?: number | undefined;
  /** Exclusive. */
  readonly toMs?: number | undefined;
}

const ORDERS = {
  'oldest first': { follows: '>', direction: 'ASC', beginning: 0 },
  'newest first': { follows: '<', direction: 'DESC', beginning: Number.MAX_SAFE_INTEGER },
} as const;

const ENTRIES = new Records<AuditEntry>({
  table: 'audit_log',
  fields: { before_change: 'before', after_change: 'after' },
  // JSON's null is nothing, too.
  json: { before: JSON.parse, after: JSON.parse },
});

/** Everybody who has or had the name $8, or the e-mail address $9, as the log refers to them. */
const NAMED = `
  SELECT 'person:' || person_id AS reference FROM person WHERE email = $9
  UNION SELECT 'identity:' || identity_id FROM identity WHERE name = $8::text
  UNION SELECT 'key:' || key_id FROM api_key WHERE name = $8::text
  UNION SELECT replace(target, 'api_key:', 'key:') FROM audit_log
    WHERE $8 IS NOT NULL AND (target LIKE 'person:%'
        AND $9 IN (before_change::json ->> 'email', after_change::json ->> 'email')
      OR (target LIKE 'identity:%' OR target LIKE 'api#_key:%' ESCAPE '#')
        AND $8 IN (before_change::json ->> 'name', after_change::json ->> 'name'))`;

/** An actor is one reference, or two with a slash between. */
const FIRST_OF_ACTOR = "substr(actor, 1, strpos(actor || '/', '/') - 1)";
const LAST_OF_ACTOR = "substr(actor, strpos(actor, '/') + 1)";

const LIST = (follows: string, direction: string) => `WITH named AS MATERIALIZED (${NAMED})
  ${ENTRIES.select} WHERE audit_id ${follows} $1
    AND ($2::text IS NULL OR actor = $2 OR ${FIRST_OF_ACTOR} = $2 OR ${LAST_OF_ACTOR} = $2)
    AND ($8::text IS NULL OR actor IN (SELECT reference FROM named)
      OR ${FIRST_OF_ACTOR} IN (SELECT reference FROM named)
      OR ${LAST_OF_ACTOR} IN (SELECT reference FROM named))
    AND ($3::text IS NULL OR operation = $3)
    AND ($4::text IS NULL OR target = $4)
    AND ($5::bigint IS NULL OR happened_at >= $5)
    AND ($6::bigint IS NULL OR happened_at < $6)
  ORDER BY audit_id ${direction} LIMIT $7`;

export class AuditLogReader extends RecordReader<AuditEntry> {
  protected readonly records = ENTRIES;

  /** Up to `limit` entries that pass the filter, behind an id or, with 0, from the beginning. */
  async list(
    filter: AuditFilter,
    order: 'oldest first' | 'newest first',
    afterId: number,
    limit: number,
  ): Promise<AuditEntry[]> {
    const { follows, direction, beginning } = ORDERS[order];
    const { actor, operation, target, fromMs, toMs, actorName } = filter;
    const given = [
      actor,
      operation,
      target,
      fromMs,
      toMs,
      limit,
      actorName,
      actorName?.toLowerCase(),
    ];
    const rows = await this.queries.all(
      LIST(follows, direction),
      afterId || beginning,
      ...given.map((value) => value ?? null),
    );
    return rows.map((row) => this.records.of(row));
  }
}

export class AuditLog extends AuditLogReader {
  async append(entry: Omit<AuditEntry, 'auditId'>): Promise<void> {
    await this.insert(entry);
  }
}
