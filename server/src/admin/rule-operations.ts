/** Operations on access rules: which datasets an identity may read. */

import type { Dataset } from '../catalog/dataset.ts';
import { nullable } from '../schema/schema.ts';
import type { AccessRule } from '../store/access-rules.ts';
import { ADMINISTERED_RULE, ADMINISTERED_RULE_LIST, DELETED_RULE } from './answers.ts';
import { optional, refuse, required } from './field.ts';
import { DATASET, DATE, UNIVERSE } from './field-kinds.ts';
import { changed, found, type Operation, operation } from './operation.ts';
import { existingIdentity, existingRule, IDENTITY_ID, RULE_ID } from './shared-fields.ts';
import { ruleView } from './views.ts';

/** The earliest date that the interface knows. */
const FIRST_DATE = '1900-01-01';

interface Window {
  readonly startDate: string;
  readonly endDate: string | null;
}

function requireOrder({ startDate, endDate }: Window): void {
  if (endDate === null || startDate <= endDate) return;
  refuse(
    'end_date',
    'end_before_start',
    `should not be before the start date, ${startDate}`,
    endDate,
  );
}

function overlap(a: Window, b: Window): boolean {
  const startsInTime = (x: Window, y: Window) => y.endDate === null || x.startDate <= y.endDate;
  return startsInTime(a, b) && startsInTime(b, a);
}

/** `field` is the one to blame: of the window if it was given, so that it can be mended. */
function requireFreeWindow(
  window: Window,
  others: readonly AccessRule[],
  [field, input]: readonly [string, unknown],
): void {
  const other = others.find((rule) => overlap(window, rule));
  if (!other) return;
  const { ruleId, startDate, endDate } = other;
  const complaint =
    `overlaps the window of rule ${ruleId} for the same dataset, ` +
    `${startDate} to ${endDate ?? 'open'}`;
  refuse(field, 'overlapping_rule', complaint, input);
}

function requireUniverse(dataset: Dataset, universe: readonly string[]): void {
  if (universe.length === 0 || dataset.universeColumns.length > 0) return;
  const complaint = `should be empty: ${dataset.datasetId} has no identifiers to restrict by`;
  refuse('universe_identifiers', 'no_universe', complaint, universe);
}

export const addRule = operation({
  name: 'addDataAccessRule',
  summary: 'give an account access to a dataset',
  method: 'POST',
  path: '/identities/:identity_id/data-access-rules',
  words: ['rule', 'add'],
  fields: {
    identity_id: IDENTITY_ID,
    dataset_id: required(DATASET, 'Id or text id of the dataset', {
      name: 'dataset',
      valueName: 'ID_OR_TEXT_ID',
      description: 'id or text id of the dataset',
    }),
    start_date: optional(DATE, `First trade date; default: ${FIRST_DATE}`, {
      name: 'start',
      valueName: 'D',
      description: `first trade date (default: ${FIRST_DATE})`,
    }),
    end_date: optional(nullable(DATE, 'open'), 'Last trade date; open-ended when null or omitted', {
      name: 'end',
      valueName: 'D',
      description: 'last trade date (default: no end date)',
    }),
    universe_identifiers: optional(
      UNIVERSE,
      'Identifiers that the account may read; an empty list means all',
      {
        name: 'universe',
        valueName: 'A,B',
        description: 'identifiers that the account may read, separated by commas (default: all)',
      },
    ),
  },
  answer: ADMINISTERED_RULE,
  refusals: ['not found'],
  run: async ({ store, catalog }, values) => {
    const dataset = values.dataset_id;
    const universe = values.universe_identifiers ?? [];
    const window = { startDate: values.start_date ?? FIRST_DATE, endDate: values.end_date ?? null };
    requireOrder(window);
    requireUniverse(dataset, universe);
    const { identityId } = await existingIdentity(store, values.identity_id);
    const given = (['start_date', 'end_date'] as const).find((name) => values[name] !== undefined);
    requireFreeWindow(
      window,
      await store.rules.listOfDataset(identityId, dataset.datasetId),
      given ? [given, values[given]] : ['dataset_id', dataset.datasetId],
    );
    const ruleId = await store.rules.add({
      identityId,
      datasetId: dataset.datasetId,
      ...window,
      universe,
    });
    const after = ruleView(await existingRule(store, ruleId), catalog);
    return changed(after, `rule:${ruleId}`, null, after);
  },
});

const listRules = operation({
  name: 'listDataAccessRules',
  summary: 'list the access rules of an account',
  method: 'GET',
  path: '/identities/:identity_id/data-access-rules',
  words: ['rule', 'list'],
  fields: { identity_id: IDENTITY_ID },
  answer: ADMINISTERED_RULE_LIST,
  refusals: ['not found'],
  run: async ({ store, catalog }, values) => {
    const { identityId } = await existingIdentity(store, values.identity_id);
    return found((await store.rules.listOf(identityId)).map((rule) => ruleView(rule, catalog)));
  },
});

const removeRule = operation({
  name: 'removeDataAccessRule',
  summary: 'delete an access rule',
  method: 'POST',
  path: '/data-access-rules/:rule_id/delete',
  words: ['rule', 'remove'],
  fields: { rule_id: RULE_ID },
  answer: DELETED_RULE,
  refusals: ['not found'],
  run: async ({ store, catalog }, values) => {
    const before = ruleView(await existingRule(store, values.rule_id), catalog);
    await store.rules.delete(values.rule_id);
    const answer = { rule_id: values.rule_id, is_deleted: true };
    return changed(answer, `rule:${values.rule_id}`, before, null);
  },
});

export const RULE_OPERATIONS: readonly Operation[] = [addRule, listRules, removeRule];
