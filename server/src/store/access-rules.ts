/**
 * Access rules: which dataset may be read, from when to when, of which identifiers, by an account
 * or under an offer.
 */
import { insertedId, isThere, type Queries, selected } from './queries.ts';

/** The dates and identifiers whose rows may be read. */
export interface RuleTerms {
  /** First and last date, both inclusive; a null end is open. */
  readonly startDate: string;
  readonly endDate: string | null;
  /** Empty: every identifier. */
  readonly universe: readonly string[];
}

/**
 * Windows of one holder and one dataset are disjoint; those of an account may overlap with those
 * of its offer.
 */
export interface AccessRule extends RuleTerms {
  readonly ruleId: number;
  /** The holder, an account or an offer; the other one is null. */
  readonly accountId: number | null;
  readonly offerId: number | null;
  readonly datasetId: string;
}

/** Whose a rule is. */
export type RuleHolder =
  | { readonly accountId: number; readonly offerId?: null }
  | { readonly offerId: number; readonly accountId?: null };

export type NewAccessRule = RuleHolder & RuleTerms & Pick<AccessRule, 'datasetId'>;

export const RULES = `SELECT ${selected({
  ruleId: 'rule_id',
  accountId: 'identity_id',
  offerId: 'offer_id',
  datasetId: 'dataset_id',
  startDate: 'start_date',
  endDate: 'end_date',
  universe: 'universe',
})} FROM access_rule`;

/** A row of `RULES`. */
export type RuleRow = Omit<AccessRule, 'universe'> & { readonly universe: string };

export function ruleOf(row: RuleRow): AccessRule {
  return { ...row, universe: JSON.parse(row.universe) };
}

/** Rules of the account itself, and of its offer. */
const HOLDS_FOR =
  '(identity_id = $1 OR offer_id = (SELECT offer_id FROM identity WHERE identity_id = $1))';
const IN_ORDER = 'ORDER BY dataset_id, start_date, rule_id';

export class AccessRuleReader {
  protected readonly queries: Queries;

  constructor(queries: Queries) {
    this.queries = queries;
  }

  async find(ruleId: number): Promise<AccessRule | null> {
    const row = await this.queries.get<RuleRow>(`${RULES} WHERE rule_id = $1`, ruleId);
    return row ? ruleOf(row) : null;
  }

  /**
   * The rules that hold for an account and a dataset, its own and its offer's, oldest window
   * first.
   */
  async listOfDataset(accountId: number, datasetId: string): Promise<AccessRule[]> {
    const sql = `${RULES} WHERE ${HOLDS_FOR} AND dataset_id = $2 ORDER BY start_date, rule_id`;
    return (await this.queries.all<RuleRow>(sql, accountId, datasetId)).map(ruleOf);
  }

  /** All that hold for an identity: by dataset, oldest window first. */
  async listOf(accountId: number): Promise<AccessRule[]> {
    const sql = `${RULES} WHERE ${HOLDS_FOR} ${IN_ORDER}`;
    return (await this.queries.all<RuleRow>(sql, accountId)).map(ruleOf);
  }

  /** The rules of an offer: by dataset, oldest window first. */
  async listOfOffer(offerId: number): Promise<AccessRule[]> {
    const sql = `${RULES} WHERE offer_id = $1 ${IN_ORDER}`;
    return (await this.queries.all<RuleRow>(sql, offerId)).map(ruleOf);
  }

  /** True if there is a rule at all. */
  isAny(): Promise<boolean> {
    return isThere(this.queries, 'SELECT 1 FROM access_rule LIMIT 1');
  }
}

export class AccessRuleTable extends AccessRuleReader {
  /** Returns the id, which no other rule has had. */
  add(rule: NewAccessRule): Promise<number> {
    return insertedId(
      this.queries,
      `INSERT INTO access_rule
         (identity_id, offer_id, dataset_id, start_date, end_date, universe)
       VALUES ($1, $2, $3, $4, $5, $6) RETURNING rule_id AS id`,
      rule.accountId ?? null,
      rule.offerId ?? null,
      rule.datasetId,
      rule.startDate,
      rule.endDate,
      JSON.stringify(rule.universe),
    );
  }

  async update(ruleId: number, { startDate, endDate, universe }: RuleTerms): Promise<void> {
    await this.queries.run(
      'UPDATE access_rule SET start_date = $1, end_date = $2, universe = $3 WHERE rule_id = $4',
      startDate,
      endDate,
      JSON.stringify(universe),
      ruleId,
    );
  }

  async delete(ruleId: number): Promise<void> {
    await this.queries.run('DELETE FROM access_rule WHERE rule_id = $1', ruleId);
  }
}

/** Rules in the order of lists: by dataset, oldest window first. */
export function inOrder(rules: readonly AccessRule[]): AccessRule[] {
  const before = (a: string, b: string) => Number(a > b) - Number(a < b);
  return rules.toSorted(
    (a, b) =>
      before(a.datasetId, b.datasetId) || before(a.startDate, b.startDate) || a.ruleId - b.ruleId,
  );
}
