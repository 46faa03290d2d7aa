/** Operations on access rules: which datasets may be read. */

import type { AccessRule } from '../store/access-rules.ts';
import type { StoreReader } from '../store/control-store.ts';
import { ADMINISTERED_RULE, ADMINISTERED_RULE_LIST, DELETED_RULE } from './answers.ts';
import { required } from './field.ts';
import { DATASET } from './field-kinds.ts';
import { changed, found, type Operation, operation } from './operation.ts';
import {
  BULK_RULE_OPERATIONS,
  overlapping,
  refuseOverlap,
  requireUniverse,
  TERMS_CHANGES,
  TERMS_FIELDS,
  termsOf,
} from './rules-in-bulk.ts';
import { ACCOUNT_ID, existingAccount, existingRule, RULE_ID } from './shared-fields.ts';
import { ruleView } from './views.ts';

export const addRule = operation({
  name: 'addDataAccessRule',
  summary: 'give an account access to a dataset',
  endpoint: 'POST /identities/:identity_id/data-access-rules',
  command: 'rule add',
  fields: {
    identity_id: ACCOUNT_ID,
    dataset_id: required(DATASET, 'Id or text id of the dataset', '--dataset ID_OR_TEXT_ID'),
    ...TERMS_FIELDS,
  },
  answer: ADMINISTERED_RULE,
  run: async ({ store, catalog }, values) => {
    const { datasetId } = values.dataset_id;
    const terms = termsOf(values);
    requireUniverse(values.dataset_id, terms.universe);
    const { accountId } = await existingAccount(store, values.identity_id);
    const own = await ownRules(store, accountId);
    const other = overlapping(terms, datasetId, own);
    if (other) refuseOverlap(other, values, ['dataset_id', datasetId, 'the same dataset']);
    const ruleId = await store.rules.add({ accountId, datasetId, ...terms });
    const after = ruleView(await existingRule(store, ruleId), catalog);
    return changed(after, `rule:${ruleId}`, null, after);
  },
});

/** Without those of its plan, with which they may overlap. */
async function ownRules({ rules }: StoreReader, accountId: number): Promise<AccessRule[]> {
  return (await rules.listOf(accountId)).filter(({ offerId }) => offerId === null);
}

const listRules = operation({
  name: 'listDataAccessRules',
  summary: 'list the access rules of an account, its own and those of its plan',
  endpoint: 'GET /identities/:identity_id/data-access-rules',
  command: 'rule list',
  fields: { identity_id: ACCOUNT_ID },
  answer: ADMINISTERED_RULE_LIST,
  run: async ({ store, catalog }, values) => {
    const { accountId } = await existingAccount(store, values.identity_id);
    return found((await store.rules.listOf(accountId)).map((rule) => ruleView(rule, catalog)));
  },
});

/** The rules of whoever has one. */
async function rulesBeside({ rules }: StoreReader, rule: AccessRule): Promise<AccessRule[]> {
  const { accountId, offerId, ruleId } = rule;
  const all =
    accountId === null ? await rules.listOfOffer(offerId ?? 0) : await rules.listOf(accountId);
  return all.filter((other) => other.offerId === offerId && other.ruleId !== ruleId);
}

const updateRule = operation({
  name: 'updateDataAccessRule',
  summary:
    'change the window or the identifiers of a rule; options that are left out change nothing',
  endpoint: 'POST /data-access-rules/:rule_id/update',
  command: 'rule update',
  fields: { rule_id: RULE_ID, ...TERMS_CHANGES },
  needsOne: true,
  answer: ADMINISTERED_RULE,
  run: async ({ store, catalog }, values) => {
    const before = await existingRule(store, values.rule_id);
    const { ruleId, datasetId } = before;
    const terms = termsOf(values, before);
    const dataset = catalog.byId(datasetId);
    if (dataset) requireUniverse(dataset, terms.universe);
    const other = overlapping(terms, datasetId, await rulesBeside(store, before));
    if (other) refuseOverlap(other, values, ['rule_id', ruleId, 'the same dataset']);
    await store.rules.update(ruleId, terms);
    const after = ruleView(await existingRule(store, ruleId), catalog);
    return changed(after, `rule:${ruleId}`, ruleView(before, catalog), after);
  },
});

const removeRule = operation({
  name: 'removeDataAccessRule',
  summary: 'delete an access rule of an account or a plan',
  endpoint: 'POST /data-access-rules/:rule_id/delete',
  command: 'rule remove',
  fields: { rule_id: RULE_ID },
  answer: DELETED_RULE,
  run: async ({ store, catalog }, values) => {
    const before = ruleView(await existingRule(store, values.rule_id), catalog);
    await store.rules.delete(values.rule_id);
    const answer = { rule_id: values.rule_id, is_deleted: true };
    return changed(answer, `rule:${values.rule_id}`, before, null);
  },
});

export const RULE_OPERATIONS: readonly Operation[] = [
  addRule,
  ...BULK_RULE_OPERATIONS,
  listRules,
  updateRule,
  removeRule,
];
