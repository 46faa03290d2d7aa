/**
 * Tries a change of rules before it is saved: the operation runs in a transaction that is undone,
 * and the rows that its accounts may read before and after are counted.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import * as v from 'valibot';
import { keyStatus } from '../access/api-key.ts';
import { RULE_EFFECTS } from '../admin/answers.ts';
import { type Fields, type FieldValues, required } from '../admin/field.ts';
import { choiceOf } from '../admin/field-kinds.ts';
import { described, type Operation, type PerformContext } from '../admin/operation.ts';
import { ACCOUNTS, RULES } from '../admin/records.ts';
import { OFFER_RULE_OPERATIONS, RULE_OPERATIONS } from '../admin/rule-operations.ts';
import type { Dataset } from '../catalog/dataset.ts';
import type { EngineReader } from '../engine/engine.ts';
import { GROUPED_TYPES } from '../engine/groups.ts';
import { fingerprintOf } from '../engine/plan-fingerprint.ts';
import type { GroupedPlan } from '../engine/query-plan.ts';
import type { Lake } from '../lake/lake.ts';
import { visibleDataset } from '../plan/column-rights.ts';
import { columnsOf } from '../plan/conditions.ts';
import { confine, resolveEntitlements } from '../plan/entitlement.ts';
import { EVERY_ROW } from '../plan/plan-bulk.ts';
import { planQuestion } from '../plan/plan-query.ts';
import { earlierOf, laterOf } from '../request/literals.ts';
import { type Answer, anyObject } from '../schema/answer.ts';
import { legal } from '../schema/schema.ts';
import type { AccessRule, RuleHolder, RuleTerms } from '../store/access-rules.ts';
import type { StoreReader, StoreTransaction } from '../store/control-store.ts';
import { today } from '../time/market-time.ts';
import { COUNTED_ROWS_MAX, countRows } from './row-counts.ts';

/** Operations that can be tried. */
export const RULE_CHANGES: readonly Operation[] = [
  ...RULE_OPERATIONS,
  ...OFFER_RULE_OPERATIONS,
].filter(({ method }) => method === 'POST');

export const WHAT_IF = described({
  name: 'showRuleEffects',
  summary: 'show which keys would gain or lose which rows by a change of rules that is not saved',
  endpoint: 'POST /data-access-rules/what-if',
  command: 'rule … --what-if',
  fields: {
    operation: required(choiceOf(RULE_CHANGES.map(({ name }) => name)), 'The operation to try'),
    input: required(v.pipe(anyObject(), legal('an object')), 'Its fields, those of its path, too'),
  },
  answer: RULE_EFFECTS,
  refusals: ['not found', 'conflict', 'timed out'],
});

export interface TryingContext extends PerformContext {
  readonly lake: Lake;
  readonly engine: Pick<EngineReader, 'aggregate'>;
  readonly signal: AbortSignal;
}

const SHOWN_IDENTIFIERS = 20;
const LAST_DATE = '2199-12-31';

type Rules = readonly RuleTerms[];
type Counts = ReadonlyMap<string, number>;

const termsText = ({ startDate, endDate, universe, columns }: RuleTerms) =>
  JSON.stringify([startDate, endDate, universe, columns ?? null]);

/** Cuts rules to the dates on which any of them changes; null: none does. */
function cutToChange(before: Rules, after: Rules): ((rules: Rules) => Rules) | null {
  const texts = new Set(before.map(termsText)).symmetricDifference(new Set(after.map(termsText)));
  if (texts.size === 0) return null;
  const changed = [...before, ...after].filter((rule) => texts.has(termsText(rule)));
  const first = changed.map(({ startDate }) => startDate).reduce(earlierOf);
  const last = changed.map(({ endDate }) => endDate ?? LAST_DATE).reduce(laterOf);
  const cut = (rule: RuleTerms) => {
    const startDate = laterOf(rule.startDate, first);
    const end = earlierOf(rule.endDate ?? LAST_DATE, last);
    return startDate > end ? [] : [{ ...rule, startDate, endDate: end === LAST_DATE ? null : end }];
  };
  return (rules) => rules.flatMap(cut);
}

/** By date and by identifier; null: there are too many rows. */
async function countedBy(context: TryingContext, dataset: Dataset, rules: Rules) {
  const snapshot = await context.lake.snapshot(dataset.datasetId);
  const day = today(dataset.timeZone, context.nowMs);
  const granted = confine(dataset, [], resolveEntitlements(dataset, rules, snapshot, day));
  const page = { columns: [], sort: [], offset: 0, limit: EVERY_ROW };
  const plan = await planQuestion({ dataset, ...granted, closedDates: null, ...page }, snapshot);
  if (plan.scannedRows > COUNTED_ROWS_MAX) return null;
  const named = columnsOf(dataset, dataset.universeColumns);
  const single = named.find(({ dataType }) => GROUPED_TYPES.includes(dataType));
  const rowsOf = (grouped: GroupedPlan) => context.engine.aggregate(grouped, context.signal);
  const date = dataset.columnByName.get(dataset.dateColumn ?? '');
  return {
    dates: await countRows(plan, date ?? null, rowsOf),
    identifiers: await countRows(plan, single ?? null, rowsOf),
  };
}

type RowCounts = Awaited<ReturnType<typeof countedBy>>;

/** Values that more rows have, in order, and how many rows more. */
function excess(all: Counts, some: Counts) {
  const more = [...all].filter(([value, count]) => count > (some.get(value) ?? 0));
  const rowCount = more.reduce((sum, [value, count]) => sum + count - (some.get(value) ?? 0), 0);
  return { values: more.flatMap(([value]) => value || []).sort(), rowCount };
}

function rowsBeyond(all: RowCounts, some: RowCounts) {
  const dates = all && some && excess(all.dates, some.dates);
  const identifiers = all && some && excess(all.identifiers, some.identifiers).values;
  return {
    row_count: dates?.rowCount ?? null,
    first_trade_date: dates?.values[0] ?? null,
    last_trade_date: dates?.values.at(-1) ?? null,
    identifier_count: identifiers?.length ?? null,
    identifiers: identifiers?.slice(0, SHOWN_IDENTIFIERS) ?? [],
  };
}

function columnsBeyond(dataset: Dataset, all: Rules, some: Rules) {
  const namesOf = (rules: Rules) =>
    new Set(rules.length > 0 ? visibleDataset(dataset, rules).columns.map(({ name }) => name) : []);
  return [...namesOf(all).difference(namesOf(some))];
}

/** Gains and losses, those that there are. */
async function effectsOf(context: TryingContext, dataset: Dataset, before: Rules, after: Rules) {
  const cut = cutToChange(before, after);
  if (!cut) return [];
  const all = await countedBy(context, dataset, cut([...before, ...after]));
  const effects = [];
  for (const [effect, more, less] of [
    ['gains', after, before],
    ['loses', before, after],
  ] as const) {
    const held = new Set(less.map(termsText));
    if (more.every((rule) => held.has(termsText(rule)))) continue;
    const rows = rowsBeyond(all, await countedBy(context, dataset, cut(less)));
    const columns = columnsBeyond(dataset, more, less);
    if (rows.row_count === 0 && columns.length === 0) continue;
    effects.push({ dataset_id: dataset.datasetId, effect, ...rows, columns });
  }
  return effects;
}

/** Whose rules an operation changes. */
async function holderOf(
  store: StoreReader,
  values: Readonly<Record<string, unknown>>,
): Promise<RuleHolder> {
  const { identity_id, plan_id, rule_id } = values as Readonly<Record<string, number | undefined>>;
  const rule = rule_id === undefined ? null : await RULES.existing(store, rule_id);
  const offerId = plan_id ?? rule?.offerId;
  if (typeof offerId === 'number') return { offerId };
  return { accountId: identity_id ?? rule?.accountId ?? 0 };
}

/** The accounts whose rows a holder's rules decide. */
async function accountsOf(store: StoreReader, { offerId, accountId }: RuleHolder) {
  if (offerId) return await store.accounts.list(0, EVERY_ROW, { offerId });
  return [await ACCOUNTS.existing(store, accountId ?? 0)];
}

const byDataset = (rules: readonly AccessRule[]) =>
  Map.groupBy(rules, ({ datasetId }) => datasetId);

/** How the operation changes the holder's rules, the only ones that it does. */
async function tried(operation: Operation, context: PerformContext, values: FieldValues<Fields>) {
  const holder = await holderOf(context.store, values);
  const lists: (readonly AccessRule[])[] = [];
  const undone = new Error('nothing is saved');
  const work = async (store: StoreTransaction) => {
    lists.push(await store.rules.listOfHolder(holder));
    await operation.run({ ...context, store }, values);
    lists.push(await store.rules.listOfHolder(holder));
    throw undone;
  };
  await context.store.transaction(work).catch((error: unknown) => {
    if (error !== undone) throw error;
  });
  const [was = new Map(), is = new Map()] = lists.map(byDataset);
  const changes = context.catalog.datasets.flatMap((dataset) => {
    const before = was.get(dataset.datasetId) ?? [];
    const after = is.get(dataset.datasetId) ?? [];
    // By the other rules of accounts: those of an offer mostly change alike.
    const known = new Map<string, ReturnType<typeof effectsOf>>();
    return cutToChange(before, after) ? [{ dataset, before, after, known }] : [];
  });
  return { holder, changes };
}

/**
 * The rows and columns that the keys of each account would gain or lose. Rejects as the operation
 * does; nothing is saved either way.
 */
export async function whatIf(
  context: TryingContext,
  operation: Operation,
  values: FieldValues<Fields>,
): Promise<Answer<typeof RULE_EFFECTS>> {
  const { store, nowMs } = context;
  const data = [];
  const { holder, changes } = await tried(operation, context, values);
  for (const account of await accountsOf(store, holder)) {
    // Rules may name many identifiers: other requests get a turn, and this one may have ended.
    await nextTurn();
    context.signal.throwIfAborted();
    const { accountId: identity_id, name: identity_name, offer } = account;
    const other = holder.offerId ? { accountId: identity_id } : { offerId: offer?.offerId ?? 0 };
    const beside = byDataset(await store.rules.listOfHolder(other));
    const keys = await store.keys.listOf(identity_id);
    const active = keys.filter((key) => keyStatus(key, nowMs) === 'active');
    const whose = { identity_id, identity_name, key_ids: active.map(({ keyId }) => keyId) };
    for (const { dataset, before, after, known } of changes) {
      const others = beside.get(dataset.datasetId) ?? [];
      const effects = known.getOrInsertComputed(fingerprintOf(others.map(termsText)), () =>
        effectsOf(context, dataset, [...others, ...before], [...others, ...after]),
      );
      data.push(...(await effects).map((effect) => ({ ...whose, ...effect })));
    }
  }
  return { data };
}
