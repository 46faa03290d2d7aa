/** The table of access rules. */
import type { AccessRule, AccessRuleTable, NewAccessRule, RuleTerms } from '../access-rules.ts';
import { insertedId, isThere, type Queries, selected } from './queries.ts';

export const RULES = `SELECT ${selected({
  ruleId: 'rule_id',
  identityId: 'identity_id',
  offerId: 'offer_id',
  datasetId: 'dataset_id',
  startDate: 'start_date',
  endDate: 'end_date',
  universe: 'universe',
})} FROM ticklake.access_rule`;

/** Its own, or those of its offer. */
const HOLDS_FOR =
  '(identity_id = $1 OR offer_id = (SELECT offer_id FROM ticklake.identity WHERE identity_id = $1))';
const IN_ORDER = 'ORDER BY dataset_id, start_date, rule_id';

export class PostgresAccessRules implements AccessRuleTable {
  readonly #queries: Queries;

  constructor(queries: Queries) {
    this.#queries = queries;
  }

  add(rule: NewAccessRule): Promise<number> {
    return insertedId(
      this.#queries,
      `INSERT INTO ticklake.access_rule
         (identity_id, offer_id, dataset_id, start_date, end_date, universe)
       VALUES ($1, $2, $3, $4, $5, $6) RETURNING rule_id AS id`,
      rule.identityId ?? null,
      rule.offerId ?? null,
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
    const sql = `${RULES} WHERE ${HOLDS_FOR} AND dataset_id = $2 ORDER BY start_date, rule_id`;
    return this.#queries.all(sql, identityId, datasetId);
  }

  listOf(identityId: number): Promise<AccessRule[]> {
    return this.#queries.all(`${RULES} WHERE ${HOLDS_FOR} ${IN_ORDER}`, identityId);
  }

  listOfOffer(offerId: number): Promise<AccessRule[]> {
    return this.#queries.all(`${RULES} WHERE offer_id = $1 ${IN_ORDER}`, offerId);
  }

  isAny(): Promise<boolean> {
    return isThere(this.#queries, 'SELECT 1 FROM ticklake.access_rule LIMIT 1');
  }

  async update(ruleId: number, { startDate, endDate, universe }: RuleTerms): Promise<void> {
    await this.#queries.run(
      `UPDATE ticklake.access_rule SET start_date = $1, end_date = $2, universe = $3
       WHERE rule_id = $4`,
      startDate,
      endDate,
      universe,
      ruleId,
    );
  }

  async delete(ruleId: number): Promise<void> {
    await this.#queries.run('DELETE FROM ticklake.access_rule WHERE rule_id = $1', ruleId);
  }
}
