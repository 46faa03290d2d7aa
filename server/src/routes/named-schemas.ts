/** The names that the OpenAPI document and clients have for schemas of answers. */
import * as admin from '../admin/answers.ts';
import { COVERAGE_MAP } from '../admin/coverage-operation.ts';
import * as publications from '../admin/publication-answers.ts';
import { ALERT_LIST } from '../operation/alerts.ts';
import { type JsonSchema, namedJsonSchemas } from '../schema/json-schema.ts';
import type { Schema } from '../schema/schema.ts';
import * as answers from './answers.ts';
import * as catalogue from './data-answers.ts';
import * as chains from './data-answers.ts';
import * as symbology from './data-answers.ts';
import * as versions from './data-answers.ts';

const SCHEMAS: Readonly<Record<string, Schema>> = {
  AdministeredIdentity: admin.ADMINISTERED_ACCOUNT,
  IdentityPage: admin.ACCOUNT_PAGE,
  AdministeredApiKey: admin.ADMINISTERED_API_KEY,
  AdministeredApiKeyList: admin.ADMINISTERED_API_KEY_LIST,
  NewApiKey: admin.NEW_API_KEY,
  DeletedApiKey: admin.DELETED_API_KEY,
  AdministeredRule: admin.ADMINISTERED_RULE,
  AdministeredRuleList: admin.ADMINISTERED_RULE_LIST,
  DeletedRule: admin.DELETED_RULE,
  AccessRequest: admin.ACCESS_REQUEST,
  AccessRequestPage: admin.ACCESS_REQUEST_PAGE,
  QuotaLimits: admin.QUOTA_LIMITS,
  AddedRules: admin.ADDED_RULES,
  Plan: admin.PLAN,
  PlanPage: admin.PLAN_PAGE,
  DeletedPlan: admin.DELETED_PLAN,
  AssignedPlan: admin.ASSIGNED_PLAN,
  UsageOfDay: admin.USAGE_OF_DAY,
  Usage: admin.USAGE,
  CountedRequest: admin.COUNTED_REQUEST,
  CountedRequestPage: admin.COUNTED_REQUEST_PAGE,
  UsageOfMonth: admin.USAGE_OF_MONTH,
  MonthlyUsage: admin.MONTHLY_USAGE,
  LedgerRow: admin.LEDGER_ROW,
  LedgerPage: admin.LEDGER_PAGE,
  AuditEntry: admin.AUDIT_ENTRY,
  AuditPage: admin.AUDIT_PAGE,
  Person: admin.PERSON,
  PersonPage: admin.PERSON_PAGE,
  NewPerson: admin.NEW_PERSON,
  PersonLink: admin.PERSON_LINK,
  PersonSession: admin.PERSON_SESSION,
  PersonSessionList: admin.PERSON_SESSION_LIST,
  EndedSessions: admin.ENDED_SESSIONS,
  SubnetCheck: admin.SUBNET_CHECK,
  DeletedPerson: admin.DELETED_PERSON,
  PublicationSummary: publications.PUBLICATION_SUMMARY,
  PublicationPage: publications.PUBLICATION_PAGE,
  PublicationRecord: publications.PUBLICATION_RECORD,
  PublicationDiff: publications.PUBLICATION_DIFF,
  Withdrawal: publications.WITHDRAWAL,
  Pruning: publications.PRUNING,
  CoverageMap: COVERAGE_MAP,
  Session: answers.SESSION,
  SignIn: answers.SIGN_IN,
  SecondFactor: answers.SECOND_FACTOR,
  NewSecondFactor: answers.NEW_SECOND_FACTOR,
  RecoveryCodes: answers.RECOVERY_CODES,
  OpenLink: answers.OPEN_LINK,
  ChosenPassword: answers.CHOSEN_PASSWORD,
  Publication: answers.PUBLICATION,
  PublicationList: answers.PUBLICATION_LIST,
  Upload: answers.UPLOAD,
  DatasetVersion: versions.DATASET_VERSION,
  DatasetVersionPage: versions.DATASET_VERSION_PAGE,
  DatasetVersionDetail: versions.DATASET_VERSION_DETAIL,
  PublicationEvent: versions.PUBLICATION_EVENT,
  PublicationFeed: versions.PUBLICATION_FEED,
  RunningRequest: answers.RUNNING_REQUEST,
  RefusedRequest: answers.REFUSED_REQUEST,
  RequestBoard: answers.REQUEST_BOARD,
  AlertList: ALERT_LIST,
  SymbolInterval: symbology.SYMBOL_INTERVAL,
  FoundRolls: symbology.FOUND_ROLLS,
  RollSpan: symbology.ROLL_SPAN,
  ResolvedSymbols: symbology.RESOLVED_SYMBOLS,
  FoundSecurity: symbology.FOUND_SECURITY,
  FoundSecurities: symbology.FOUND_SECURITIES,
  OptionChain: chains.OPTION_CHAIN,
  OptionChainContract: chains.OPTION_CHAIN_CONTRACT,
  OptionChainExpiration: chains.OPTION_CHAIN_EXPIRATION,
  OptionChainSource: chains.OPTION_CHAIN_SOURCE,
  QueryForm: answers.QUERY_FORM,
  DataScan: answers.DATA_SCAN,
  Manifest: answers.MANIFEST,
  MissingIdentifiers: answers.MISSING_IDENTIFIERS,
  ReceiptKeys: answers.RECEIPT_KEYS,
  SystemStatus: answers.SYSTEM_STATUS,
  OpenApiDocument: answers.OPEN_API_DOCUMENT,
  Identity: answers.ACCOUNT,
  Quotas: answers.QUOTAS,
  FirstSteps: answers.FIRST_STEPS,
  ApiKey: admin.API_KEY,
  ApiKeyList: answers.API_KEY_LIST,
  DataAccessRule: answers.DATA_ACCESS_RULE,
  DataAccessRuleList: answers.DATA_ACCESS_RULE_LIST,
  DatasetRow: answers.DATASET_ROW,
  DatasetList: answers.DATASET_LIST,
  DatasetInfo: answers.DATASET_INFO,
  CatalogueEntry: catalogue.CATALOGUE_ENTRY,
  Catalogue: catalogue.CATALOGUE,
  PublicDataset: catalogue.PUBLIC_DATASET,
  PublicCatalogue: catalogue.PUBLIC_CATALOGUE,
  RowPage: catalogue.ROW_PAGE,
  Column: answers.COLUMN,
  ColumnList: answers.COLUMN_LIST,
  DatasetRules: answers.DATASET_RULES,
  DatasetCoverage: answers.DATASET_COVERAGE,
  DatasetStatus: answers.DATASET_STATUS,
  Pagination: answers.PAGINATION,
  Error: answers.ERROR,
  ValidationError: answers.VALIDATION_ERROR,
};

const NAMES = new Map(Object.entries(SCHEMAS).map(([name, schema]) => [schema, name]));

/** As JSON Schema, each under its name. */
export function namedSchemas(): Readonly<Record<string, JsonSchema>> {
  return namedJsonSchemas(SCHEMAS);
}

/** A `$ref` to the schema of that name in the OpenAPI document. */
export function referenceTo(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** Throws where an answer's schema has no name. */
export function referenceOf(schema: Schema): JsonSchema {
  const name = NAMES.get(schema);
  if (name === undefined) throw new Error('the schema of an answer has no name');
  return referenceTo(name);
}
