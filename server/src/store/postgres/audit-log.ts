/** The table of the audit log. */
import type { AuditEntry, AuditFilter, AuditLog, AuditOrder } from '../audit-log.ts';
import { type Queries, selected } from './queries.ts';

const ORDERS = {
  'oldest first': { follows: '>', direction: 'ASC', beginning: 0 },
  'newest first': { follows: '<', direction: 'DESC', beginning: Number.MAX_SAFE_INTEGER },
} as const;

const ENTRIES = `SELECT ${selected({
  auditId: 'audit_id',
  happenedAtMs: 'happened_at',
  actor: 'actor',
  source: 'source',
  operation: 'operation',
  target: 'target',
  before: 'before_change',
  after: 'after_change',
})} FROM ticklake.audit_log`;

/** Everybody who has or had the name $8, or the e-mail address $9, as the log refers to them. */
const NAMED = `
  SELECT 'person:' || person_id AS reference FROM ticklake.person WHERE email = $9
  UNION SELECT 'identity:' || identity_id FROM ticklake.identity WHERE name = $8::text
  UNION SELECT 'key:' || key_id FROM ticklake.api_key WHERE name = $8::text
  UNION SELECT replace(target, 'api_key:', 'key:') FROM ticklake.audit_log
    WHERE $8 IS NOT NULL AND (starts_with(target, 'person:')
        AND $9 IN (before_change ->> 'email', after_change ->> 'email')
      OR (starts_with(target, 'identity:') OR starts_with(target, 'api_key:'))
        AND $8 IN (before_change ->> 'name', after_change ->> 'name'))`;

function jsonOf(state: object | null): string | null {
  return state === null ? null : JSON.stringify(state);
}

export class PostgresAuditLog implements AuditLog {
  readonly #queries: Queries;

  constructor(queries: Queries) {
    this.#queries = queries;
  }

  async append(entry: Omit<AuditEntry, 'auditId'>): Promise<void> {
    await this.#queries.run(
      `INSERT INTO ticklake.audit_log
         (happened_at, actor, source, operation, target, before_change, after_change)
       VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      entry.happenedAtMs,
      entry.actor,
      entry.source,
      entry.operation,
      entry.target,
      jsonOf(entry.before),
      jsonOf(entry.after),
    );
  }

  list(
    filter: AuditFilter,
    order: AuditOrder,
    afterId: number,
    limit: number,
  ): Promise<AuditEntry[]> {
    const { follows, direction, beginning } = ORDERS[order];
    return this.#queries.all(
      `WITH named AS MATERIALIZED (${NAMED})
       ${ENTRIES} WHERE audit_id ${follows} $1
         AND ($2::text IS NULL OR actor = $2 OR starts_with(actor, $2 || '/')
           OR split_part(actor, '/', 2) = $2)
         AND ($8::text IS NULL OR actor IN (SELECT reference FROM named)
           OR split_part(actor, '/', 1) IN (SELECT reference FROM named)
           OR split_part(actor, '/', 2) IN (SELECT reference FROM named))
         AND ($3::text IS NULL OR operation = $3)
         AND ($4::text IS NULL OR target = $4)
         AND ($5::bigint IS NULL OR happened_at >= $5)
         AND ($6::bigint IS NULL OR happened_at < $6)
       ORDER BY audit_id ${direction} LIMIT $7`,
      afterId || beginning,
      filter.actor ?? null,
      filter.operation ?? null,
      filter.target ?? null,
      filter.fromMs ?? null,
      filter.toMs ?? null,
      limit,
      filter.actorName ?? null,
      filter.actorName?.toLowerCase() ?? null,
    );
  }
}
