/** Access rules: which dataset an identity may read, from when to when, of which identifiers. */

export interface AccessRule {
  readonly ruleId: number;
  readonly identityId: number;
  readonly datasetId: string;
  /** First and last date, both inclusive; a null end is open. Windows of a dataset are disjoint. */
  readonly startDate: string;
  readonly endDate: string | null;
  /** Empty: every identifier. */
  readonly universe: readonly string[];
}

export type NewAccessRule = Omit<AccessRule, 'ruleId'>;

export interface AccessRuleReader {
  find(ruleId: number): Promise<AccessRule | null>;
  /** The rules of an identity for one dataset, oldest window first. */
  listOfDataset(identityId: number, datasetId: string): Promise<AccessRule[]>;
  /** By dataset, oldest window first. */
  listOf(identityId: number): Promise<AccessRule[]>;
  /** Whether there is a rule at all. */
  isAny(): Promise<boolean>;
}

export interface AccessRuleTable extends AccessRuleReader {
  /** Returns the id, which no other rule has had. */
  add(rule: NewAccessRule): Promise<number>;
  delete(ruleId: number): Promise<void>;
}
