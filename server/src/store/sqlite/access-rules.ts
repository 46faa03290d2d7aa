/** The table of access rules. */
import type { AccessRule, AccessRuleTable, NewAccessRule, RuleTerms } from '../access-rules.ts';
import type { Row, StatementSource } from './statements.ts';

export function ruleOf(row: Row): AccessRule {
  return {
    ruleId: Number(row.rule_id),
    identityId: row.identity_id === null ? null : Number(row.identity_id),
    offerId: row.offer_id === null ? null : Number(row.offer_id),
    datasetId: String(row.dataset_id),
    startDate: String(row.start_date),
    endDate: row.end_date === null ? null : String(row.end_date),
    universe: JSON.parse(String(row.universe)),
  };
}

/** Its own, or those of its offer; the identity is given twice. */
const HOLDS_FOR =
  '(identity_id = ? OR offer_id = (SELECT offer_id FROM identity WHERE identity_id = ?))';
const IN_ORDER = 'ORDER BY dataset_id, start_date, rule_id';

export class SqliteAccessRules implements AccessRuleTable {
  readonly #statements: StatementSource;

  constructor(statements: StatementSource) {
    this.#statements = statements;
  }

  async add(rule: NewAccessRule): Promise<number> {
    const { lastInsertRowid } = this.#statements
      .prepare(
        `INSERT INTO access_rule (identity_id, offer_id, dataset_id, start_date, end_date, universe)
         VALUES (?, ?, ?, ?, ?, ?)`,
      )
      .run(
        rule.identityId ?? null,
        rule.offerId ?? null,
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
        `SELECT * FROM access_rule WHERE ${HOLDS_FOR} AND dataset_id = ? ORDER BY start_date, rule_id`,
      )
      .all(identityId, identityId, datasetId)
      .map(ruleOf);
  }

  async listOf(identityId: number): Promise<AccessRule[]> {
    return this.#statements
      .prepare(`SELECT * FROM access_rule WHERE ${HOLDS_FOR} ${IN_ORDER}`)
      .all(identityId, identityId)
      .map(ruleOf);
  }

  async listOfOffer(offerId: number): Promise<AccessRule[]> {
    return this.#statements
      .prepare(`SELECT * FROM access_rule WHERE offer_id = ? ${IN_ORDER}`)
      .all(offerId)
      .map(ruleOf);
  }

  async isAny(): Promise<boolean> {
    return this.#statements.prepare('SELECT 1 FROM access_rule LIMIT 1').get() !== undefined;
  }

  async update(ruleId: number, { startDate, endDate, universe }: RuleTerms): Promise<void> {
    this.#statements
      .prepare(
        'UPDATE access_rule SET start_date = ?, end_date = ?, universe = ? WHERE rule_id = ?',
      )
      .run(startDate, endDate, JSON.stringify(universe), ruleId);
  }

  async delete(ruleId: number): Promise<void> {
    this.#statements.prepare('DELETE FROM access_rule WHERE rule_id = ?').run(ruleId);
  }
}
