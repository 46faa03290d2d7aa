/** Access rules: which dataset may be read, from when to when, of which identifiers, by an identity or under an offer. */

/** Where and of what rows may be read. */
export interface RuleTerms {
  /** First and last date, both inclusive; a null end is open. */
  readonly startDate: string;
  readonly endDate: string | null;
  /** Empty: every identifier. */
  readonly universe: readonly string[];
}

/** Windows of one holder and one dataset are disjoint; those of an identity may overlap with those of its offer. */
export interface AccessRule extends RuleTerms {
  readonly ruleId: number;
  /** The holder, an identity or an offer; the other one is null. */
  readonly identityId: number | null;
  readonly offerId: number | null;
  readonly datasetId: string;
}

/** Whose a rule is. */
export type RuleHolder =
  | { readonly identityId: number; readonly offerId?: null }
  | { readonly offerId: number; readonly identityId?: null };

export type NewAccessRule = RuleHolder & RuleTerms & Pick<AccessRule, 'datasetId'>;

export interface AccessRuleReader {
  find(ruleId: number): Promise<AccessRule | null>;
  /** The rules that hold for an identity and a dataset, its own and its offer's, oldest window first. */
  listOfDataset(identityId: number, datasetId: string): Promise<AccessRule[]>;
  /** All that hold for an identity: by dataset, oldest window first. */
  listOf(identityId: number): Promise<AccessRule[]>;
  /** Those of an offer: by dataset, oldest window first. */
  listOfOffer(offerId: number): Promise<AccessRule[]>;
  /** Whether there is a rule at all. */
  isAny(): Promise<boolean>;
}

export interface AccessRuleTable extends AccessRuleReader {
  /** Returns the id, which no other rule has had. */
  add(rule: NewAccessRule): Promise<number>;
  update(ruleId: number, terms: RuleTerms): Promise<void>;
  delete(ruleId: number): Promise<void>;
}

/** Rules in the order of lists: by dataset, oldest window first. */
export function inOrder(rules: readonly AccessRule[]): AccessRule[] {
  const before = (a: string, b: string) => Number(a > b) - Number(a < b);
  return rules.toSorted(
    (a, b) =>
      before(a.datasetId, b.datasetId) || before(a.startDate, b.startDate) || a.ruleId - b.ruleId,
  );
}
