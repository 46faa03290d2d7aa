/** The names that the OpenAPI document and clients have for schemas of answers. */
import * as accounts from '../admin/answers.ts';
import * as coverage from '../admin/coverage-operation.ts';
import * as publications from '../admin/publication-answers.ts';
import { capitalized } from '../base/printable.ts';
import * as alerts from '../operation/alerts.ts';
import { type JsonSchema, namedJsonSchemas } from '../schema/json-schema.ts';
import type { Schema } from '../schema/schema.ts';
import * as answers from './answers.ts';
import * as data from './data-answers.ts';

function isSchema(value: unknown): value is Schema {
  return (value as { kind?: unknown } | null)?.kind === 'schema';
}

/** `QUERY_FORM` is known as `QueryForm`; the interface has words of its own for two of them. */
function nameOf(constant: string): string {
  const named = constant.replace('ACCOUNT', 'IDENTITY').replace('OFFER', 'PLAN');
  const words = named.toLowerCase().split('_');
  return words.map(capitalized).join('');
}

/** Every schema that a module of answers exports, in the order of their names. */
const SCHEMAS: Readonly<Record<string, Schema>> = Object.fromEntries(
  [accounts, publications, coverage, alerts, answers, data]
    .flatMap((module) => Object.entries<unknown>({ ...module }))
    .flatMap(([name, value]) => (isSchema(value) ? [[nameOf(name), value] as const] : []))
    .sort(([one], [other]) => (one < other ? -1 : 1)),
);

const NAMES = new Map(Object.entries(SCHEMAS).map(([name, schema]) => [schema, name]));

/** As JSON Schema, each under its name. */
export function namedSchemas(): Readonly<Record<string, JsonSchema>> {
  return namedJsonSchemas(SCHEMAS);
}

/** A `$ref` to the schema of that name in the OpenAPI document. */
export function referenceTo(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** Throws where an answer's schema has no name. */
export function referenceOf(schema: Schema): JsonSchema {
  const name = NAMES.get(schema);
  if (name === undefined) throw new Error('the schema of an answer has no name');
  return referenceTo(name);
}
