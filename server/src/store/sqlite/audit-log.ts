/** The table of the audit log. */
import type { AuditEntry, AuditFilter, AuditLog, AuditOrder } from '../audit-log.ts';
import type { Row, StatementSource } from './statements.ts';

const ORDERS = {
  'oldest first': { follows: '>', direction: 'ASC', beginning: 0 },
  'newest first': { follows: '<', direction: 'DESC', beginning: Number.MAX_SAFE_INTEGER },
} as const;

/** Everybody who has or had a name, as the log refers to them. */
const NAMED = `
  SELECT 'person:' || person_id AS reference FROM person WHERE email = :actorEmail
  UNION SELECT 'identity:' || identity_id FROM identity WHERE name = :actorName
  UNION SELECT 'key:' || key_id FROM api_key WHERE name = :actorName
  UNION SELECT replace(target, 'api_key:', 'key:') FROM audit_log
    WHERE :actorName IS NOT NULL AND (target GLOB 'person:*'
        AND :actorEmail IN (before_change ->> '$.email', after_change ->> '$.email')
      OR (target GLOB 'identity:*' OR target GLOB 'api_key:*')
        AND :actorName IN (before_change ->> '$.name', after_change ->> '$.name'))`;

function jsonOf(state: object | null): string | null {
  return state === null ? null : JSON.stringify(state);
}

function stateOf(json: unknown): object | null {
  return json === null ? null : JSON.parse(String(json));
}

function entryOf(row: Row): AuditEntry {
  return {
    auditId: Number(row.audit_id),
    happenedAtMs: Number(row.happened_at),
    actor: String(row.actor),
    source: String(row.source),
    operation: String(row.operation),
    target: String(row.target),
    before: stateOf(row.before_change),
    after: stateOf(row.after_change),
  };
}

export class SqliteAuditLog implements AuditLog {
  readonly #statements: StatementSource;

  constructor(statements: StatementSource) {
    this.#statements = statements;
  }

  async append(entry: Omit<AuditEntry, 'auditId'>): Promise<void> {
    this.#statements
      .prepare(
        `INSERT INTO audit_log
           (happened_at, actor, source, operation, target, before_change, after_change)
         VALUES (?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        entry.happenedAtMs,
        entry.actor,
        entry.source,
        entry.operation,
        entry.target,
        jsonOf(entry.before),
        jsonOf(entry.after),
      );
  }

  async list(
    filter: AuditFilter,
    order: AuditOrder,
    afterId: number,
    limit: number,
  ): Promise<AuditEntry[]> {
    const { follows, direction, beginning } = ORDERS[order];
    return this.#statements
      .prepare(
        `WITH named AS MATERIALIZED (${NAMED})
         SELECT * FROM audit_log
         WHERE audit_id ${follows} :after
           AND (:actor IS NULL OR actor = :actor
             OR substr(actor, 1, length(:actor) + 1) = :actor || '/'
             OR substr(actor, -length(:actor) - 1) = '/' || :actor)
           AND (:actorName IS NULL OR actor IN named
             OR substr(actor, 1, instr(actor, '/') - 1) IN named
             OR substr(actor, instr(actor, '/') + 1) IN named)
           AND (:operation IS NULL OR operation = :operation)
           AND (:target IS NULL OR target = :target)
           AND (:from IS NULL OR happened_at >= :from)
           AND (:to IS NULL OR happened_at < :to)
         ORDER BY audit_id ${direction} LIMIT :limit`,
      )
      .all({
        after: afterId || beginning,
        actor: filter.actor ?? null,
        actorName: filter.actorName ?? null,
        actorEmail: filter.actorName?.toLowerCase() ?? null,
        operation: filter.operation ?? null,
        target: filter.target ?? null,
        from: filter.fromMs ?? null,
        to: filter.toMs ?? null,
        limit,
      })
      .map(entryOf);
  }
}
