/** Every administrative operation, in the order in which help and documents list them. */
import { ACCESS_REQUEST_OPERATIONS } from './access-request-operations.ts';
import { ACCOUNT_OPERATIONS, QUOTA_OPERATIONS } from './account-operations.ts';
import { COVERAGE_OPERATIONS } from './coverage-operation.ts';
import { ENQUIRY_OPERATIONS } from './enquiry-operations.ts';
import { KEY_OPERATIONS } from './key-operations.ts';
import type { LakeOperation } from './lake-operation.ts';
import { LINK_OPERATIONS } from './link-operations.ts';
import { OFFER_OPERATIONS } from './offer-operations.ts';
import type { Operation } from './operation.ts';
import { PERSON_OPERATIONS, SIGN_IN_OPERATIONS } from './person-operations.ts';
import { PUBLICATION_CHANGES } from './publication-changes.ts';
import { PUBLICATION_READINGS } from './publication-readings.ts';
import { BILLING_OPERATIONS, RECORD_OPERATIONS } from './record-operations.ts';
import { RULE_OPERATIONS } from './rule-operations.ts';

export const LAKE_OPERATIONS: readonly LakeOperation[] = [
  ...PUBLICATION_READINGS,
  ...PUBLICATION_CHANGES,
  ...COVERAGE_OPERATIONS,
];

export const OPERATIONS: readonly Operation[] = [
  ...ACCOUNT_OPERATIONS,
  ...KEY_OPERATIONS,
  ...RULE_OPERATIONS,
  ...ACCESS_REQUEST_OPERATIONS,
  ...ENQUIRY_OPERATIONS,
  ...QUOTA_OPERATIONS,
  ...OFFER_OPERATIONS,
  ...PERSON_OPERATIONS,
  ...LINK_OPERATIONS,
  ...SIGN_IN_OPERATIONS,
  ...BILLING_OPERATIONS,
  ...RECORD_OPERATIONS,
];
