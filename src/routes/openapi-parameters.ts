/** Query parameters of data endpoints, as the OpenAPI document lists them. */
import type { Dataset } from '../catalog/dataset.ts';
import type { Config } from '../config.ts';
import { RESPONSE_FORMATS } from '../request/response-format.ts';
import { requestLimits } from './data-limits.ts';
import type { JsonSchema } from './openapi-schemas.ts';

function queryParameter(name: string, description: string, schema: JsonSchema) {
  return { name, in: 'query', required: false, description, schema };
}

const text: JsonSchema = { type: 'string' };

function standardParameters(config: Config) {
  const { rowLimits, offsetMax } = requestLimits(config);
  const limits = RESPONSE_FORMATS.map(
    (format) => `${format} ${rowLimits[format].default}, at most ${rowLimits[format].max}`,
  ).join('; ');
  const limitMax = Math.max(...RESPONSE_FORMATS.map((format) => rowLimits[format].max));
  return [
    queryParameter(
      'sort',
      'Columns to sort by, separated by commas; - before one: descending',
      text,
    ),
    queryParameter('columns', 'Columns to return, separated by commas, in that order', text),
    queryParameter('offset', 'Rows to skip', {
      type: 'integer',
      minimum: 0,
      maximum: offsetMax,
      default: 0,
    }),
    queryParameter('limit', `Most rows to return. Default and maximum by format: ${limits}`, {
      type: 'integer',
      minimum: 1,
      maximum: limitMax,
    }),
    queryParameter('response_format', 'Format of the page', {
      type: 'string',
      enum: [...RESPONSE_FORMATS],
      default: 'json',
    }),
  ];
}

/** The standard parameters, and those of the variants that the path has. */
export function dataParameters(variants: readonly Dataset[], config: Config) {
  const vendor = config.vendorAggregationLogic;
  const parameters = standardParameters(config);
  if (variants.some(({ variant }) => variant.adjusted !== undefined)) {
    parameters.push(
      queryParameter('adjusted', 'Prices and volumes restated for corporate actions', {
        type: 'boolean',
        default: false,
      }),
    );
  }
  if (variants.some(({ variant }) => variant.aggregationLogic !== undefined)) {
    parameters.push(
      queryParameter('aggregation_logic', 'Which trades count', {
        type: 'string',
        enum: [vendor, 'industry_std'],
        default: vendor,
      }),
    );
  }
  const periods = new Set(variants.map(({ periodDefault }) => periodDefault));
  const [periodDefault] = periods;
  if (periodDefault) {
    parameters.push(
      queryParameter('period', 'Longest span of trade dates: a number and Y, W or D', {
        type: 'string',
        pattern: '^[1-9][0-9]{0,3}[YWD]$',
        default: periodDefault,
      }),
    );
  }
  return parameters;
}
