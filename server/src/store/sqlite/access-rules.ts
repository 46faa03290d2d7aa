/** The table of access rules. */
import type { AccessRule, NewAccessRule } from '../access-rules.ts';
import type { Row, Statements } from './statements.ts';

function ruleOf(row: Row): AccessRule {
  return {
    ruleId: Number(row.rule_id),
    identityId: Number(row.identity_id),
    datasetId: String(row.dataset_id),
    startDate: String(row.start_date),
    endDate: row.end_date === null ? null : String(row.end_date),
    universe: JSON.parse(String(row.universe)),
  };
}

export class AccessRuleTable {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  add(rule: NewAccessRule): number {
    const { lastInsertRowid } = this.#statements
      .prepare(
        `INSERT INTO access_rule (identity_id, dataset_id, start_date, end_date, universe)
         VALUES (?, ?, ?, ?, ?)`,
      )
      .run(
        rule.identityId,
        rule.datasetId,
        rule.startDate,
        rule.endDate,
        JSON.stringify(rule.universe),
      );
    return Number(lastInsertRowid);
  }

  find(ruleId: number): AccessRule | null {
    const row = this.#statements.prepare('SELECT * FROM access_rule WHERE rule_id = ?').get(ruleId);
    return row ? ruleOf(row) : null;
  }

  /** The rules of an identity for one dataset, oldest window first. */
  listOfDataset(identityId: number, datasetId: string): AccessRule[] {
    return this.#statements
      .prepare(
        `SELECT * FROM access_rule WHERE identity_id = ? AND dataset_id = ? ORDER BY start_date`,
      )
      .all(identityId, datasetId)
      .map(ruleOf);
  }

  listOf(identityId: number): AccessRule[] {
    return this.#statements
      .prepare('SELECT * FROM access_rule WHERE identity_id = ? ORDER BY dataset_id, start_date')
      .all(identityId)
      .map(ruleOf);
  }

  /** Whether there is a rule at all. */
  isAny(): boolean {
    return this.#statements.prepare('SELECT 1 FROM access_rule LIMIT 1').get() !== undefined;
  }

  delete(ruleId: number): void {
    this.#statements.prepare('DELETE FROM access_rule WHERE rule_id = ?').run(ruleId);
  }
}
