/** The table of access rules. */
import type { AccessRule, AccessRuleTable, NewAccessRule } from '../access-rules.ts';
import type { Row, StatementSource } from './statements.ts';

export function ruleOf(row: Row): AccessRule {
  return {
    ruleId: Number(row.rule_id),
    identityId: Number(row.identity_id),
    datasetId: String(row.dataset_id),
    startDate: String(row.start_date),
    endDate: row.end_date === null ? null : String(row.end_date),
    universe: JSON.parse(String(row.universe)),
  };
}

export class SqliteAccessRules implements AccessRuleTable {
  readonly #statements: StatementSource;

  constructor(statements: StatementSource) {
    this.#statements = statements;
  }

  async add(rule: NewAccessRule): Promise<number> {
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

  async find(ruleId: number): Promise<AccessRule | null> {
    const row = this.#statements.prepare('SELECT * FROM access_rule WHERE rule_id = ?').get(ruleId);
    return row ? ruleOf(row) : null;
  }

  async listOfDataset(identityId: number, datasetId: string): Promise<AccessRule[]> {
    return this.#statements
      .prepare(
        `SELECT * FROM access_rule WHERE identity_id = ? AND dataset_id = ? ORDER BY start_date`,
      )
      .all(identityId, datasetId)
      .map(ruleOf);
  }

  async listOf(identityId: number): Promise<AccessRule[]> {
    return this.#statements
      .prepare('SELECT * FROM access_rule WHERE identity_id = ? ORDER BY dataset_id, start_date')
      .all(identityId)
      .map(ruleOf);
  }

  async isAny(): Promise<boolean> {
    return this.#statements.prepare('SELECT 1 FROM access_rule LIMIT 1').get() !== undefined;
  }

  async delete(ruleId: number): Promise<void> {
    this.#statements.prepare('DELETE FROM access_rule WHERE rule_id = ?').run(ruleId);
  }
}
