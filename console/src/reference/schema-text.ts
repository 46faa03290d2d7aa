import { countText } from '../format/texts';
import type { OpenApiDocument, SchemaObject } from './openapi';

/** A longer pattern tells a reader nothing. */
const PATTERN_LENGTH_MAX = 80;
const DEPTH_MAX = 6;

export type Schemas = OpenApiDocument['components']['schemas'];

export function resolved(schema: SchemaObject, schemas: Schemas): SchemaObject {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : (schemas[name] ?? {});
}

function typesOf({ type }: SchemaObject): readonly string[] {
  if (type === undefined) return [];
  return typeof type === 'string' ? [type] : type;
}

/** `integer`, `date or null`, `array of string`; '' where anything is legal. */
export function typeText(schema: SchemaObject, schemas: Schemas): string {
  const whole = resolved(schema, schemas);
  const alternatives = whole.anyOf ?? whole.oneOf;
  if (alternatives) {
    const texts = alternatives.map((each) => typeText(each, schemas)).filter(Boolean);
    return [...new Set(texts)].join(' or ');
  }
  const names = typesOf(whole).map((type) => {
    if (type === 'array') return `array of ${typeText(whole.items ?? {}, schemas) || 'any value'}`;
    const isTime = whole.format === 'date' || whole.format === 'date-time';
    return type === 'string' && isTime ? `${whole.format}` : type;
  });
  if (names.length > 0) return names.join(' or ');
  return 'const' in whole ? typeof whole.const : '';
}

function rangeText({ minimum, maximum }: SchemaObject): string {
  const isOpen = maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER;
  if (minimum === undefined) return isOpen ? '' : `at most ${countText(maximum)}`;
  return isOpen ? `from ${countText(minimum)}` : `${countText(minimum)} to ${countText(maximum)}`;
}

function lengthText({ minLength = 0, maxLength }: SchemaObject): string {
  if (maxLength === undefined) return '';
  return `${minLength > 0 ? `${minLength} to ` : 'at most '}${countText(maxLength)} characters`;
}

function patternText({ pattern = '' }: SchemaObject): string {
  return pattern === '' || pattern.length > PATTERN_LENGTH_MAX ? '' : pattern;
}

/** Legal values beyond the type; '' where that says it all. */
export function legalText(schema: SchemaObject, schemas: Schemas): string {
  const whole = resolved(schema, schemas);
  if (whole.enum) return whole.enum.filter((value) => value !== null).join(', ');
  if ('const' in whole) return String(whole.const);
  const parts = [rangeText(whole), lengthText(whole), patternText(whole)];
  if (whole.maxItems !== undefined) parts.push(`at most ${countText(whole.maxItems)} items`);
  if (whole.items) parts.push(legalText(whole.items, schemas));
  return parts.filter((part) => part !== '').join('; ');
}

export interface SchemaField {
  /** With the names of what it lies in: `data[].price`. */
  readonly name: string;
  readonly type: string;
  readonly legal: string;
  readonly description: string;
  readonly isRequired: boolean;
}

/** The fields of an object, or of the objects of an array, and those in them. */
export function fieldsOf(
  schema: SchemaObject,
  schemas: Schemas,
  prefix = '',
  depth = 0,
): readonly SchemaField[] {
  const whole = resolved(schema, schemas);
  if (depth > DEPTH_MAX) return [];
  if (whole.items) return fieldsOf(whole.items, schemas, `${prefix}[]`, depth + 1);
  const alternatives = whole.anyOf ?? whole.oneOf;
  if (alternatives && !whole.properties) {
    return alternatives.flatMap((each) => fieldsOf(each, schemas, prefix, depth + 1));
  }
  return Object.entries(whole.properties ?? {}).flatMap(([own, field]) => {
    const name = prefix === '' ? own : `${prefix}.${own}`;
    const described = {
      name,
      type: typeText(field, schemas),
      legal: legalText(field, schemas),
      description: field.description ?? '',
      isRequired: whole.required?.includes(own) ?? false,
    };
    return [described, ...fieldsOf(field, schemas, name, depth + 1)];
  });
}

const EXAMPLES: Readonly<Record<string, unknown>> = {
  date: '2026-11-18',
  'date-time': '2026-11-18T14:30:00Z',
  string: 'text',
  integer: 1,
  number: 1.5,
  boolean: true,
  null: null,
};

export function exampleOf(schema: SchemaObject, schemas: Schemas, depth = 0): unknown {
  const whole = resolved(schema, schemas);
  const given = whole.examples?.[0] ?? whole.default ?? whole.enum?.[0] ?? whole.const;
  if (given !== undefined) return given;
  const [alternative] = whole.anyOf ?? whole.oneOf ?? [];
  if (alternative && !whole.properties) return exampleOf(alternative, schemas, depth + 1);
  if (whole.properties) {
    if (depth > DEPTH_MAX) return {};
    const entries = Object.entries(whole.properties).map(([name, field]) => [
      name,
      exampleOf(field, schemas, depth + 1),
    ]);
    return Object.fromEntries(entries);
  }
  if (whole.items) return depth > DEPTH_MAX ? [] : [exampleOf(whole.items, schemas, depth + 1)];
  const [type = ''] = typesOf(whole);
  if (type === 'object') return {};
  return EXAMPLES[whole.format ?? ''] ?? EXAMPLES[type] ?? null;
}
