/** Query parameters of data endpoints, as the OpenAPI document lists them. */
import type { Dataset } from '../catalog/dataset.ts';
import { INAPPLICABLE_TO_CHANGES } from '../plan/plan-changes.ts';
import { CHANGES_PARAMETERS } from '../request/changes-request.ts';
import { type SegmentParameter, segmentParameters } from '../request/segment-parameters.ts';
import type { SegmentParameterName } from '../request/standard-parameters.ts';
import { PAGE_PARAMETERS, versionSchema } from '../request/standard-parameters.ts';
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
  adjusted_as_of:
    'Restates adjusted rows by the corporate actions up to this date alone, as they were known then',
  adjustments:
    'Which corporate actions restate adjusted rows: all, or only those that change the number of shares',
  adjustment_factors: 'Whether adjusted rows have their factors, whatever columns are asked for',
  factors_version: 'Version of the adjustment factors; default: the current one',
  aggregation_logic: 'Which trades count',
  interval: 'Bars of this length, built from the stored ones',
  rolls_version: 'Version of the dataset that ranks futures contracts; default: the current one',
  period: 'Longest span of trade dates: a number and Y, W or D',
};

const FLAGS: readonly SegmentParameterName[] = ['adjusted', 'adjustment_factors'];
const VERSIONS: readonly SegmentParameterName[] = ['factors_version', 'rolls_version'];

function segmentSchema({ name, values, pattern, default: fallback }: SegmentParameter): JsonSchema {
  if (FLAGS.includes(name)) return { type: 'boolean', default: fallback === 'true' };
  if (VERSIONS.includes(name)) return jsonSchemaOf(versionSchema);
  const legal = pattern === null ? { enum: values } : { pattern };
  return { type: 'string', ...legal, ...(fallback !== null && { default: fallback }) };
}

/** The parameters of every page, and those that the path has beside them for any of its variants. */
export function dataParameters(variants: readonly Dataset[], config: Config) {
  const all = variants.flatMap((dataset) => segmentParameters(dataset, config));
  const ofSegment = [...new Map(all.map((parameter) => [parameter.name, parameter])).values()];
  return [
    ...pageParameters(config),
    ...ofSegment.map((parameter) =>
      queryParameter(parameter.name, DESCRIPTIONS[parameter.name], segmentSchema(parameter)),
    ),
  ];
}
