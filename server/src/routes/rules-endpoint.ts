/** By which rules the rows of a dataset are computed: `/meta/datasets/{dataset_id}/rules`. */
import { QUOTE_CONDITION_USES, TRADE_CONDITION_USES } from '@ticklake/market/condition-uses.ts';
import type { Dataset } from '../catalog/dataset.ts';
import {
  adjustedColumnsOf,
  conditionKindsOf,
  type DatasetRule,
  rulesOf,
} from '../derive/dataset-rules.ts';
import { DATASET_RULES } from './answers.ts';
import { type DataExchange, keyedEndpoint } from './endpoint.ts';
import { requestedDataset } from './requested-dataset.ts';

/** As requests name it; null: the dataset has no variants to choose from. */
function aggregationLogicOf({ services }: DataExchange, { variant }: Dataset): string | null {
  const { aggregationLogic = null } = variant;
  return aggregationLogic === 'vendor_default'
    ? services.config.vendorAggregationLogic
    : aggregationLogic;
}

function showRule({ computation, meaning, ruleVersion, inputs, parameters }: DatasetRule) {
  return {
    ...{ computation, meaning, rule_version: ruleVersion },
    inputs: inputs.map(({ role, dataset: { datasetId, textId } }) => ({
      role,
      dataset_id: datasetId,
      dataset_text_id: textId,
    })),
    parameters: Object.entries(parameters).map(([name, value]) => ({ name, value })),
  };
}

function derivedFrom(exchange: DataExchange, dataset: Dataset) {
  const rules = rulesOf(exchange.services.catalog, dataset);
  if (!rules) return null;
  return {
    ...showRule(rules),
    aggregation_logic: aggregationLogicOf(exchange, dataset),
    otherwise: rules.otherwise && showRule(rules.otherwise),
  };
}

function showRules(exchange: DataExchange) {
  const dataset = requestedDataset(exchange);
  const kinds = conditionKindsOf(exchange.services.catalog, dataset);
  return {
    dataset_id: dataset.datasetId,
    derived_from: derivedFrom(exchange, dataset),
    adjusted_columns: adjustedColumnsOf(dataset),
    interval_columns: [...(dataset.intervals?.columns ?? [])].map(([name, rule]) => ({
      ...{ name, rule: rule.kind },
      by: 'other' in rule ? rule.other : null,
    })),
    trade_conditions: kinds.has('trade') ? TRADE_CONDITION_USES : [],
    quote_conditions: kinds.has('quote') ? QUOTE_CONDITION_USES : [],
  };
}

export const RULES_ENDPOINT = keyedEndpoint({
  method: 'GET',
  path: '/meta/datasets/:dataset_id/rules',
  operationId: 'showDatasetRules',
  summary: 'By which rules the rows of a dataset are computed, and what each condition does',
  answer: DATASET_RULES,
  errorStatuses: [404],
  isPublic: false,
  isTagged: true,
  handle: showRules,
});
