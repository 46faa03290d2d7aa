/** The pieces that schemas are made of. */

export type JsonSchema = Readonly<Record<string, unknown>>;

export const text: JsonSchema = { type: 'string' };
export const integer: JsonSchema = { type: 'integer' };
export const flag: JsonSchema = { type: 'boolean' };
export const date: JsonSchema = { type: 'string', format: 'date' };
export const time: JsonSchema = { type: 'string', format: 'date-time' };

export function nullable(schema: JsonSchema): JsonSchema {
  return { ...schema, type: [schema.type, 'null'] };
}

export function object(properties: Record<string, JsonSchema>): JsonSchema {
  return {
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

export function arrayOf(items: JsonSchema): JsonSchema {
  return { type: 'array', items };
}

export function reference(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}
