/** Query parameters of data endpoints, as the OpenAPI document lists them. */
import type { Dataset } from '../catalog/dataset.ts';
import { FORMATS } from '../formats/formats.ts';
import {
  type SegmentParameter,
  type SegmentParameterName,
  segmentParameters,
} from '../request/segment-parameters.ts';
import type { JsonSchema } from '../schema/json-schema.ts';
import type { Config } from '../settings/config.ts';

function queryParameter(name: string, description: string, schema: JsonSchema) {
  return { name, in: 'query', required: false, description, schema };
}

/** A column's name in any definition. */
const NAME = '[A-Z][A-Za-z0-9]*';
const SORT_FIELD = `[-+ ]?${NAME}`;

function standardParameters(config: Config) {
  const { offsetMax, sortFieldsMax } = config;
  const limits = FORMATS.map(
    ({ name, rowLimits }) => `${name} ${rowLimits.default}, at most ${rowLimits.max}`,
  ).join('; ');
  const limitMax = Math.max(...FORMATS.map(({ rowLimits }) => rowLimits.max));
  return [
    queryParameter(
      'sort',
      'Columns to sort by, separated by commas; a leading - sorts descending',
      {
        type: 'string',
        pattern: `^${SORT_FIELD}(,${SORT_FIELD}){0,${sortFieldsMax - 1}}$`,
      },
    ),
    queryParameter('columns', 'Columns to return, separated by commas, in that order', {
      type: 'string',
      pattern: `^${NAME}(,${NAME})*$`,
    }),
    queryParameter('offset', 'Rows to skip', {
      type: 'integer',
      minimum: 0,
      maximum: offsetMax,
      default: 0,
    }),
    queryParameter('limit', `Maximum number of rows. Default and maximum by format: ${limits}`, {
      type: 'integer',
      minimum: 1,
      maximum: limitMax,
    }),
    queryParameter('response_format', 'Format of the page', {
      type: 'string',
      enum: FORMATS.map(({ name }) => name),
      default: FORMATS[0].name,
    }),
  ];
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

/** The standard parameters, and those that the path of a dataset has beside them. */
export function dataParameters(dataset: Dataset, config: Config) {
  const ofSegment = segmentParameters(dataset, config);
  return [
    ...standardParameters(config),
    ...ofSegment.map((parameter) =>
      queryParameter(parameter.name, DESCRIPTIONS[parameter.name], segmentSchema(parameter)),
    ),
  ];
}
