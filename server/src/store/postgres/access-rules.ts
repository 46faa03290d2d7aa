/** The table of access rules. */
import type { AccessRule, AccessRuleTable, NewAccessRule } from '../access-rules.ts';
import { insertedId, isThere, type Queries, selected } from './queries.ts';

export const RULES = `SELECT ${selected({
  ruleId: 'rule_id',
  identityId: 'identity_id',
  datasetId: 'dataset_id',
  startDate: 'start_date',
  endDate: 'end_date',
  universe: 'universe',
})} FROM ticklake.access_rule`;

export class PostgresAccessRules implements AccessRuleTable {
  readonly #queries: Queries;

  constructor(queries: Queries) {
    this.#queries = queries;
  }

  add(rule: NewAccessRule): Promise<number> {
    return insertedId(
      this.#queries,
      `INSERT INTO ticklake.access_rule (identity_id, dataset_id, start_date, end_date, universe)
       VALUES ($1, $2, $3, $4, $5) RETURNING rule_id AS id`,
      rule.identityId,
      rule.datasetId,
      rule.startDate,
      rule.endDate,
      rule.universe,
    );
  }

  async find(ruleId: number): Promise<AccessRule | null> {
    return (await this.#queries.get<AccessRule>(`${RULES} WHERE rule_id = $1`, ruleId)) ?? null;
  }

  listOfDataset(identityId: number, datasetId: string): Promise<AccessRule[]> {
    const sql = `${RULES} WHERE identity_id = $1 AND dataset_id = $2 ORDER BY start_date`;
    return this.#queries.all(sql, identityId, datasetId);
  }

  listOf(identityId: number): Promise<AccessRule[]> {
    const sql = `${RULES} WHERE identity_id = $1 ORDER BY dataset_id, start_date`;
    return this.#queries.all(sql, identityId);
  }

  isAny(): Promise<boolean> {
    return isThere(this.#queries, 'SELECT 1 FROM ticklake.access_rule LIMIT 1');
  }

  async delete(ruleId: number): Promise<void> {
    await this.#queries.run('DELETE FROM ticklake.access_rule WHERE rule_id = $1', ruleId);
  }
}
