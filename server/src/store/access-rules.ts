/**
 * Access rules: which dataset may be read, from when to when, of which identifiers, by an account
 * or under an offer.
 */
import { isThere } from './queries.ts';
import { RecordReader, Records } from './records.ts';

/** The dates and identifiers whose rows may be read, and the columns that are read of them. */
export interface RuleTerms {
  /** First and last date, both inclusive; a null end is open. */
  readonly startDate: string;
  readonly endDate: string | null;
  /** Empty: every identifier. */
  readonly universe: readonly string[];
  /** Null: every column. */
  readonly columns?: readonly string[] | null | undefined;
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

export const RULES = new Records<AccessRule>({
  table: 'access_rule',
  json: { universe: JSON.parse, columns: JSON.parse },
});

/** Rules of the account itself, and of its offer. */
const HOLDS_FOR =
  '(identity_id = $1 OR offer_id = (SELECT offer_id FROM identity WHERE identity_id = $1))';
const IN_ORDER = 'ORDER BY dataset_id, start_date, rule_id';

export class AccessRuleReader extends RecordReader<AccessRule> {
  protected readonly records = RULES;

  /**
   * The rules that hold for an account and a dataset, its own and its offer's, oldest window
   * first.
   */
  listOfDataset(accountId: number, datasetId: string): Promise<AccessRule[]> {
    return this.all(`WHERE ${HOLDS_FOR} AND dataset_id = $2 ${IN_ORDER}`, accountId, datasetId);
  }

  /** All that hold for an account: by dataset, oldest window first. */
  listOf(accountId: number): Promise<AccessRule[]> {
    return this.all(`WHERE ${HOLDS_FOR} ${IN_ORDER}`, accountId);
  }

  /** The holder's own rules: by dataset, oldest window first. */
  listOfHolder({ accountId = null, offerId = null }: RuleHolder | AccessRule) {
    return this.all(`WHERE identity_id = $1 OR offer_id = $2 ${IN_ORDER}`, accountId, offerId);
  }

  /** True if there is a rule at all. */
  isAny(): Promise<boolean> {
    return isThere(this.queries, 'SELECT 1 FROM access_rule LIMIT 1');
  }
}

export class AccessRuleTable extends AccessRuleReader {
  add(rule: RuleHolder & RuleTerms & Pick<AccessRule, 'datasetId'>): Promise<number> {
    return this.insert(rule);
  }

  update(ruleId: number, { startDate, endDate, universe, columns }: RuleTerms): Promise<void> {
    return this.change(ruleId, { startDate, endDate, universe, columns: columns ?? null });
  }

  delete(ruleId: number): Promise<void> {
    return this.remove('rule_id = $1', ruleId);
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
