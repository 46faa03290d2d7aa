/** Operations on access rules: of one dataset, or of many at once, all or none. */
import type { Catalog, Dataset } from '../catalog/dataset.ts';
import { keyColumnsOf } from '../catalog/visible-columns.ts';
import { FIRST_DATE } from '../engine/accepted-values.ts';
import { nullable } from '../schema/schema.ts';
import type { AccessRule, RuleHolder, RuleTerms } from '../store/access-rules.ts';
import { ADDED_RULES, ADMINISTERED_RULE, ADMINISTERED_RULE_LIST, DELETED_RULE } from './answers.ts';
import { type FieldValues, optional, refuse, required } from './field.ts';
import {
  COLUMNS,
  DATASET,
  DATASET_NAMES,
  DATE,
  FLAG,
  GROUP_NAMES,
  ID,
  UNIVERSE,
} from './field-kinds.ts';
import { changed, found, type Operation, type OperationContext, operation } from './operation.ts';
import { ACCOUNT_ID, ACCOUNTS, OFFER_ID, OFFERS, RULE_ID, RULES } from './records.ts';
import { ruleView } from './views.ts';

const TERMS_FIELDS = {
  start_date: optional(DATE, `First trade date; default: ${FIRST_DATE}`, '--start D'),
  end_date: optional(nullable(DATE, 'open'), 'Last trade date; open-ended when null or omitted', {
    option: '--end D',
    description: 'last trade date (default: no end date)',
  }),
  universe_identifiers: optional(
    UNIVERSE,
    'Identifiers that may be read; an empty list means all',
    {
      option: '--universe A,B',
      description: 'identifiers that may be read, separated by commas (default: all)',
    },
  ),
  columns: optional(
    nullable(COLUMNS, 'all'),
    'Columns that may be read; null or omitted means all',
    {
      option: '--columns A,B',
      description: 'columns that may be read, separated by commas (default: all)',
    },
  ),
};

/** Terms of an existing rule. */
const TERMS_CHANGES = {
  start_date: optional(DATE, 'First trade date', '--start D'),
  end_date: optional(nullable(DATE, 'open'), 'Last trade date; null means no end date', {
    option: '--end D',
    description: 'last trade date, or open for no end date',
  }),
  universe_identifiers: optional(
    UNIVERSE,
    'Identifiers that may be read, in place of those before; an empty list means all',
    {
      option: '--universe A,B',
      description: 'identifiers that may be read, in place of those before',
    },
    { option: '--no-universe', flag: [], description: 'let every identifier be read' },
  ),
  columns: optional(
    nullable(COLUMNS, 'all'),
    'Columns that may be read, in place of those before; null means all',
    {
      option: '--columns A,B',
      description: 'columns that may be read, in place of those before, or all',
    },
  ),
};

type TermsValues = FieldValues<typeof TERMS_FIELDS>;

const ANY_TERMS: RuleTerms = {
  startDate: FIRST_DATE,
  endDate: null,
  universe: [],
  columns: null,
};

/** Earlier terms with the given ones; throws `BadInput` if the end comes first. */
function termsOf(values: TermsValues, before: RuleTerms = ANY_TERMS): RuleTerms {
  const startDate = values.start_date ?? before.startDate;
  const { end_date: endDate = before.endDate, columns = before.columns } = values;
  if (endDate !== null && endDate < startDate) {
    const [field, complaint, input] =
      values.end_date === undefined
        ? ['start_date', `should not be after the end date, ${endDate}`, startDate]
        : ['end_date', `should not be before the start date, ${startDate}`, endDate];
    refuse(field, 'end_before_start', complaint, input);
  }
  return { startDate, endDate, universe: values.universe_identifiers ?? before.universe, columns };
}

type Window = Pick<RuleTerms, 'startDate' | 'endDate'>;

function overlap(a: Window, b: Window): boolean {
  const startsInTime = (x: Window, y: Window) => y.endDate === null || x.startDate <= y.endDate;
  return startsInTime(a, b) && startsInTime(b, a);
}

/** The rule of the same holder and dataset that is in the way of a window. */
function overlapping(
  window: Window,
  datasetId: string,
  others: readonly AccessRule[],
): AccessRule | undefined {
  return others.find((rule) => rule.datasetId === datasetId && overlap(window, rule));
}

function windowText({ startDate, endDate }: Window): string {
  return `${startDate} to ${endDate ?? 'open'}`;
}

/** Says of the field to blame, the one of the window if it was given, so that it can be mended. */
function refuseOverlap(
  rule: AccessRule,
  values: Partial<TermsValues>,
  [field, input, dataset]: readonly [field: string, input: unknown, dataset: string],
): never {
  const given = (['start_date', 'end_date'] as const).find((name) => values[name] !== undefined);
  refuse(
    given ?? field,
    'overlapping_rule',
    `overlaps the window of rule ${rule.ruleId} for ${dataset}, ${windowText(rule)}`,
    given ? values[given] : input,
  );
}

/** Throws `BadInput` for columns that the dataset does not have, or that no rule may leave out. */
function requireColumns(dataset: Dataset, columns: RuleTerms['columns']): void {
  if (!columns) return;
  const { datasetId, columnByName } = dataset;
  const unknown = columns.filter((name) => !columnByName.has(name));
  if (unknown.length > 0) {
    const complaint = `names columns that ${datasetId} does not have: ${unknown.join(', ')}`;
    refuse('columns', 'unknown_column', complaint, columns);
  }
  const missing = keyColumnsOf(dataset).filter((name) => !columns.includes(name));
  if (missing.length === 0) return;
  const complaint = `should include ${missing.join(', ')}, by which rows of ${datasetId} are found and ordered`;
  refuse('columns', 'missing_columns', complaint, columns);
}

/** Throws `BadInput` where terms do not fit the dataset. */
function requireFit(dataset: Dataset, { universe, columns }: RuleTerms): void {
  requireColumns(dataset, columns);
  if (universe.length === 0 || dataset.universeColumns.length > 0) return;
  const complaint = `should be empty: ${dataset.datasetId} has no identifiers to restrict by`;
  refuse('universe_identifiers', 'no_universe', complaint, universe);
}

const SKIP = {
  skip_overlapping: optional(
    FLAG,
    'Skip datasets that already have an overlapping rule, instead of refusing the whole request; default: false',
    '--skip-overlapping',
  ),
};

const DATASETS_FIELDS = {
  dataset_ids: optional(DATASET_NAMES, 'Ids or text ids of datasets', '--dataset ID_OR_TEXT_ID...'),
  groups: optional(
    GROUP_NAMES,
    'Groups whose datasets are meant as well, such as us-equity',
    '--group NAME...',
  ),
};

const ADDING_FIELDS = { ...DATASETS_FIELDS, ...TERMS_FIELDS, ...SKIP };
type AddingValues = FieldValues<typeof ADDING_FIELDS>;

function datasetOf(catalog: Catalog, name: string): Dataset {
  const dataset = catalog.byId(name) ?? catalog.byTextId(name);
  if (dataset) return dataset;
  refuse('dataset_ids', 'unknown_dataset', `names an unknown dataset, ${name}`, name);
}

function datasetsOfGroup({ datasets }: Catalog, name: string): readonly Dataset[] {
  const found = datasets.filter(({ group, dataGroup }) => group === name || dataGroup === name);
  if (found.length > 0) return found;
  const known = [...new Set(datasets.map(({ group }) => group))].sort().join(', ');
  const complaint = `names an unknown group, ${name}; groups are ${known}`;
  refuse('groups', 'unknown_group', complaint, name);
}

/** Each dataset once; throws `BadInput` where none is named. */
function namedDatasets(catalog: Catalog, { dataset_ids = [], groups = [] }: AddingValues) {
  const named = new Set([
    ...dataset_ids.map((name) => datasetOf(catalog, name)),
    ...groups.flatMap((name) => datasetsOfGroup(catalog, name)),
  ]);
  if (named.size > 0) return [...named];
  refuse('dataset_ids', 'missing', "is missing; give it or 'groups'", null);
}

interface Target {
  /** Kind and id, as the audit log names it. */
  readonly name: string;
  readonly holder: RuleHolder;
  /** The holder's own. */
  readonly rules: readonly AccessRule[];
}

/** Identifiers of all rules that one request adds: each rule of a group has a list of its own. */
const ADDED_IDENTIFIERS_MAX = 100_000;
/** The audit log's entry for each rule. */
const SHOWN_IDENTIFIERS = 20;

function identifiersText(universe: readonly string[]): string {
  if (universe.length === 0) return '';
  const shown = universe.slice(0, SHOWN_IDENTIFIERS).join(' ');
  const moreCount = universe.length - SHOWN_IDENTIFIERS;
  return `, ${shown}${moreCount > 0 ? ` and ${moreCount} more` : ''}`;
}

/** Rules by their ids, each in one line. */
function textsOf(rules: readonly AccessRule[]): Record<string, string> {
  const entries = rules.map((rule) => [
    rule.ruleId,
    `${rule.datasetId}, ${windowText(rule)}${identifiersText(rule.universe)}` +
      (rule.columns ? `, columns ${rule.columns.join(' ')}` : ''),
  ]);
  return Object.fromEntries(entries);
}

function requireFewIdentifiers(datasets: readonly Dataset[], { universe }: RuleTerms): void {
  const count = datasets.length * universe.length;
  if (count <= ADDED_IDENTIFIERS_MAX) return;
  const complaint =
    `should make rules with at most ${ADDED_IDENTIFIERS_MAX} identifiers together; ` +
    `${universe.length} for each of ${datasets.length} datasets are ${count}`;
  refuse('universe_identifiers', 'too_many_identifiers', complaint, null);
}

/** Adds rules; throws `BadInput` about `field` if one is in the way and may not be skipped. */
async function addAll(
  { store, catalog }: OperationContext,
  { name, holder, rules }: Target,
  wanted: readonly { readonly datasetId: string; readonly terms: RuleTerms }[],
  { field, values }: { field: string; values: Partial<AddingValues> },
) {
  const known = [...rules];
  const added: AccessRule[] = [];
  const skipped = new Set<string>();
  for (const { datasetId, terms } of wanted) {
    const other = overlapping(terms, datasetId, known);
    if (other && !values.skip_overlapping) {
      refuseOverlap(other, values, [field, datasetId, datasetId]);
    }
    if (other) {
      skipped.add(datasetId);
      continue;
    }
    const ruleId = await store.rules.add({ ...holder, datasetId, ...terms });
    const rule = await RULES.existing(store, ruleId);
    known.push(rule);
    added.push(rule);
  }
  const answer = {
    added: added.map((rule) => ruleView(rule, catalog)),
    skipped_dataset_ids: [...skipped],
  };
  return changed(answer, name, { added_rules: {} }, { added_rules: textsOf(added) });
}

async function addNamed(context: OperationContext, target: Target, values: AddingValues) {
  const terms = termsOf(values);
  const datasets = namedDatasets(context.catalog, values);
  for (const dataset of datasets) requireFit(dataset, terms);
  requireFewIdentifiers(datasets, terms);
  const wanted = datasets.map(({ datasetId }) => ({ datasetId, terms }));
  return addAll(context, target, wanted, { field: 'dataset_ids', values });
}

async function accountTarget({ store }: OperationContext, id: number): Promise<Target> {
  const { accountId } = await ACCOUNTS.existing(store, id);
  return {
    name: `identity:${accountId}`,
    holder: { accountId },
    rules: await store.rules.listOfHolder({ accountId }),
  };
}

async function offerTarget({ store }: OperationContext, id: number): Promise<Target> {
  const { offerId } = await OFFERS.existing(store, id);
  return {
    name: `plan:${offerId}`,
    holder: { offerId },
    rules: await store.rules.listOfHolder({ offerId }),
  };
}

const SOURCE_FIELDS = {
  from_identity_id: optional(
    ID,
    'Id of the account whose own rules are copied',
    '--from-identity ID',
  ),
  from_plan_id: optional(ID, 'Or id of the plan whose rules are copied', '--from-plan ID'),
};

const COPYING_FIELDS = { ...SOURCE_FIELDS, ...SKIP };
type CopyingValues = FieldValues<typeof COPYING_FIELDS>;

async function copyRules(context: OperationContext, target: Target, values: CopyingValues) {
  const { from_identity_id: accountId, from_plan_id: offerId } = values;
  if ((accountId === undefined) === (offerId === undefined)) {
    const complaint =
      accountId === undefined
        ? "is missing; give it or 'from_plan_id'"
        : "should not be given together with 'from_plan_id'";
    refuse('from_identity_id', 'one_source', complaint, accountId ?? null);
  }
  const source =
    accountId === undefined
      ? await offerTarget(context, offerId as number)
      : await accountTarget(context, accountId);
  const wanted = source.rules.map(({ datasetId, startDate, endDate, universe, columns }) => ({
    datasetId,
    terms: { startDate, endDate, universe, columns },
  }));
  const field = accountId === undefined ? 'from_plan_id' : 'from_identity_id';
  return addAll(context, target, wanted, { field, values });
}

export const addRules = operation({
  name: 'addDataAccessRules',
  summary: 'give an account access to several datasets or groups at once',
  endpoint: 'POST /identities/:identity_id/data-access-rules/several',
  command: 'rule add-several',
  fields: { identity_id: ACCOUNT_ID, ...ADDING_FIELDS },
  answer: ADDED_RULES,
  run: async (context, { identity_id, ...values }) =>
    addNamed(context, await accountTarget(context, identity_id), values),
});

const copyAccountRules = operation({
  name: 'copyDataAccessRules',
  summary: 'give an account the rules that another one or a plan has',
  endpoint: 'POST /identities/:identity_id/data-access-rules/copy',
  command: 'rule copy',
  fields: { identity_id: ACCOUNT_ID, ...COPYING_FIELDS },
  answer: ADDED_RULES,
  run: async (context, { identity_id, ...values }) =>
    copyRules(context, await accountTarget(context, identity_id), values),
});

const BULK_RULE_OPERATIONS: readonly Operation[] = [addRules, copyAccountRules];

const addOfferRules = operation({
  name: 'addPlanRules',
  summary: 'give all accounts that have a plan access to datasets or groups',
  endpoint: 'POST /plans/:plan_id/data-access-rules',
  command: 'plan add-rules',
  fields: { plan_id: OFFER_ID, ...ADDING_FIELDS },
  answer: ADDED_RULES,
  run: async (context, { plan_id, ...values }) =>
    addNamed(context, await offerTarget(context, plan_id), values),
});

const copyOfferRules = operation({
  name: 'copyPlanRules',
  summary: 'give a plan the rules that an account or another plan has',
  endpoint: 'POST /plans/:plan_id/data-access-rules/copy',
  command: 'plan copy-rules',
  fields: { plan_id: OFFER_ID, ...COPYING_FIELDS },
  answer: ADDED_RULES,
  run: async (context, { plan_id, ...values }) =>
    copyRules(context, await offerTarget(context, plan_id), values),
});

export const OFFER_RULE_OPERATIONS: readonly Operation[] = [addOfferRules, copyOfferRules];

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
  run: async (context, values) => {
    const { store } = context;
    const { datasetId } = values.dataset_id;
    const terms = termsOf(values);
    requireFit(values.dataset_id, terms);
    const { accountId } = await ACCOUNTS.existing(store, values.identity_id);
    const own = await store.rules.listOfHolder({ accountId });
    const other = overlapping(terms, datasetId, own);
    if (other) refuseOverlap(other, values, ['dataset_id', datasetId, 'the same dataset']);
    const ruleId = await store.rules.add({ accountId, datasetId, ...terms });
    return RULES.made(context, ruleId);
  },
});

const listRules = operation({
  name: 'listDataAccessRules',
  summary: 'list the access rules of an account, its own and those of its plan',
  endpoint: 'GET /identities/:identity_id/data-access-rules',
  command: 'rule list',
  fields: { identity_id: ACCOUNT_ID },
  answer: ADMINISTERED_RULE_LIST,
  run: async ({ store, catalog }, values) => {
    const { accountId } = await ACCOUNTS.existing(store, values.identity_id);
    return found((await store.rules.listOf(accountId)).map((rule) => ruleView(rule, catalog)));
  },
});

const updateRule = operation({
  name: 'updateDataAccessRule',
  summary:
    'change the window, the identifiers or the columns of a rule; options that are left out change nothing',
  endpoint: 'POST /data-access-rules/:rule_id/update',
  command: 'rule update',
  fields: { rule_id: RULE_ID, ...TERMS_CHANGES },
  needsOne: true,
  answer: ADMINISTERED_RULE,
  run: async (context, values) =>
    RULES.altered(context, values.rule_id, async (before) => {
      const { store, catalog } = context;
      const { ruleId, datasetId } = before;
      const terms = termsOf(values, before);
      const dataset = catalog.byId(datasetId);
      if (dataset) requireFit(dataset, terms);
      const own = await store.rules.listOfHolder(before);
      const others = own.filter((rule) => rule.ruleId !== ruleId);
      const other = overlapping(terms, datasetId, others);
      if (other) refuseOverlap(other, values, ['rule_id', ruleId, 'the same dataset']);
      await store.rules.update(ruleId, terms);
    }),
});

const removeRule = operation({
  name: 'removeDataAccessRule',
  summary: 'delete an access rule of an account or a plan',
  endpoint: 'POST /data-access-rules/:rule_id/delete',
  command: 'rule remove',
  fields: { rule_id: RULE_ID },
  answer: DELETED_RULE,
  run: async (context, { rule_id }) =>
    RULES.deleted(context, { rule_id }, () => context.store.rules.delete(rule_id)),
});

export const RULE_OPERATIONS: readonly Operation[] = [
  addRule,
  ...BULK_RULE_OPERATIONS,
  listRules,
  updateRule,
  removeRule,
];
