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
      `${ENTRIES} WHERE audit_id ${follows} $1
         AND ($2::text IS NULL OR actor = $2 OR starts_with(actor, $2 || '/'))
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
    );
  }
}
