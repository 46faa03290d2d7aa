/** Query parameters of data endpoints, as the OpenAPI document lists them. */
import type { Dataset } from '../catalog/dataset.ts';
import { INAPPLICABLE_TO_CHANGES } from '../plan/plan-changes.ts';
import { CHANGES_PARAMETERS } from '../request/changes-request.ts';
import { PAGE_PARAMETERS, versionSchema } from '../request/page-parameters.ts';
import { type SegmentParameter, segmentParameters } from '../request/segment-parameters.ts';
import type { SegmentParameterName } from '../request/standard-parameters.ts';
import { type JsonSchema, jsonSchemaOf } from '../schema/json-schema.ts';
import type { Config } from '../settings/config.ts';

function queryParameter(name: string, description: string, schema: JsonSchema) {
  return { name, in: 'query', required: false, description, schema };
}

function pageParameters(config: Config) {
  return Object.entries(PAGE_PARAMETERS).map(([name, { description, schema }]) =>
    queryParameter(
      name,
      typeof description === 'string' ? description : description(config),
      jsonSchemaOf(schema(config)),
    ),
  );
}

/** The parameters of requests for the rows that changed. */
export function changesParameters(config: Config) {
  const own = Object.entries(CHANGES_PARAMETERS).map(([name, description]) => ({
    ...queryParameter(name, description, jsonSchemaOf(versionSchema)),
    required: name === 'from',
  }));
  const ofPage = pageParameters(config).filter(
    ({ name }) => !INAPPLICABLE_TO_CHANGES.includes(name),
  );
  return [...own, ...ofPage];
}

const DESCRIPTIONS: Readonly<Record<SegmentParameterName, string>> = {
  adjusted: 'Prices and volumes restated for corporate actions',
  aggregation_logic: 'Which trades count',
  period: 'Longest span of trade dates: a number and Y, W or D',
};

function segmentSchema({ name, values, pattern, default: fallback }: SegmentParameter): JsonSchema {
  if (name === 'adjusted') return { type: 'boolean', default: fallback === 'true' };
  const legal = pattern === null ? { enum: values } : { pattern };
  return { type: 'string', ...legal, default: fallback };
}

/** The parameters of every page, and those that the path of a dataset has beside them. */
export function dataParameters(dataset: Dataset, config: Config) {
  const ofSegment = segmentParameters(dataset, config);
  return [
    ...pageParameters(config),
    ...ofSegment.map((parameter) =>
      queryParameter(parameter.name, DESCRIPTIONS[parameter.name], segmentSchema(parameter)),
    ),
  ];
}
