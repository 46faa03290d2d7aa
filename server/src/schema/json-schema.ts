/** JSON Schema of our schemas, as the OpenAPI document has it. */
import { type ConversionConfig, toJsonSchemaDefs } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import { type Schema, WORD_NAMES } from './schema.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

type Keywords = Record<string, unknown>;

/**
 * `type: [X, 'null']` says the same as a choice of two schemas, and shorter; but an `enum` would
 * still refuse null.
 */
function nullableJson(json: Keywords): Keywords {
  const [inner, none] = json.anyOf as [Keywords, Keywords];
  return typeof inner.type === 'string' && !inner.enum
    ? { ...inner, type: [inner.type, 'null'] }
    : { oneOf: [inner, none] };
}

const FORMS: Readonly<Record<string, (json: Keywords, schema: Keywords) => Keywords>> = {
  nullable: nullableJson,
  union: ({ anyOf }) => ({ oneOf: anyOf }),
  object_with_rest: (json) => ({ ...json, additionalProperties: false }),
  record: ({ propertyNames: _, ...json }) => json,
};

const CONVERSION: ConversionConfig = {
  // Rules that JSON Schema cannot express are left to the keywords that stand beside it.
  errorMode: 'ignore',
  target: 'draft-2020-12',
  overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
  overrideSchema: ({ valibotSchema, jsonSchema }) =>
    FORMS[valibotSchema.type]?.(jsonSchema as Keywords, valibotSchema as unknown as Keywords),
  overrideAction: ({ jsonSchema }) =>
    Object.fromEntries(Object.entries(jsonSchema).filter(([name]) => !WORD_NAMES.includes(name))),
};

/** Schemas by their names; one that is a part of another is referred to by its name there. */
export function namedJsonSchemas(
  schemas: Readonly<Record<string, Schema>>,
): Readonly<Record<string, JsonSchema>> {
  const definitions = schemas as Record<string, v.GenericSchema>;
  return toJsonSchemaDefs(definitions, CONVERSION) as Record<string, JsonSchema>;
}

export function jsonSchemaOf(schema: Schema): JsonSchema {
  return namedJsonSchemas({ schema }).schema as JsonSchema;
}
