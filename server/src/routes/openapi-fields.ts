/** Fields of queries and bodies, as the OpenAPI document lists them. */
import type { Fields } from '../admin/field.ts';
import { jsonSchemaOf } from '../schema/json-schema.ts';
import type { DescribedEndpoint } from './endpoint.ts';

export function queryParameters(query: Fields) {
  return Object.entries(query).map(([name, { kind, help, isRequired }]) => {
    const schema = jsonSchemaOf(kind);
    return {
      name,
      in: 'query',
      required: isRequired,
      description: help,
      schema,
      // One parameter with commas, not one for each entry.
      ...(schema.type === 'array' ? { style: 'form', explode: false } : {}),
    };
  });
}

function bodySchema(body: Fields, needsOneOf: readonly string[]) {
  const fields = Object.entries(body);
  return {
    type: 'object',
    properties: Object.fromEntries(
      fields.map(([name, { kind, help }]) => [name, { ...jsonSchemaOf(kind), description: help }]),
    ),
    required: fields.filter(([, { isRequired }]) => isRequired).map(([name]) => name),
    ...(needsOneOf.length > 0 ? { anyOf: needsOneOf.map((name) => ({ required: [name] })) } : {}),
    additionalProperties: false,
  };
}

const BYTES = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } };

export function requestBody({ body, needsOneOf = [], takesBytes }: DescribedEndpoint) {
  if (takesBytes) return { requestBody: { required: false, content: BYTES } };
  if (!body) return {};
  const schema = bodySchema(body, needsOneOf);
  const required = schema.required.length > 0;
  return { requestBody: { required, content: { 'application/json': { schema } } } };
}
