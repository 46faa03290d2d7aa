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
