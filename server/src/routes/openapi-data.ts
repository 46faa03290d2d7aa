/**
 * The part of the OpenAPI document that reads rows, small enough for a program that reads it whole:
 * what repeats is said once, and headers and the meanings of columns are left out.
 */
import type { JsonSchema } from '../schema/json-schema.ts';
import { FILTERS_NOTE, type openApiDocument } from './openapi.ts';
import { referenceTo } from './openapi-parts.ts';

interface Parameter {
  readonly name: string;
  readonly in: string;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters: readonly Parameter[];
  readonly responses: Readonly<Record<string, { readonly content?: object }>>;
}

type Schemas = Readonly<Record<string, JsonSchema>>;

/** Rows of each dataset, and groups, which are asked for alike at every path of rows. */
const ROWS = /^\/data\/([^{]|\{group\}\/\{segment\}\/aggregate$)/;
const CATALOGUE = /^\/(status|bulk\/.*|meta\/datasets\/(my|[^/]+\/(info|columns|status)))$/;

const DESCRIPTION =
  'Reads rows. Every column is also a filter, with operators such as TradeDate.ge. ' +
  '/meta/datasets/{dataset_id}/columns has the meanings of columns, /docs/http.md ' +
  'the headers, /docs/errors.md the errors, and openapi.json everything else.';

const ERRORS = {
  Error: {
    description: 'Refused or failed; detail says why',
    content: {
      'application/json': {
        schema: { anyOf: ['Error', 'ValidationError'].map(referenceTo) },
      },
    },
  },
};

/** A reference to the first parameter of a name, or the parameter where it differs from that. */
function sharedIn(known: Record<string, Parameter>, parameter: Parameter): object {
  const { name } = parameter;
  known[name] ??= parameter;
  const isSame = JSON.stringify(known[name]) === JSON.stringify(parameter);
  return isSame ? { $ref: `#/components/parameters/${name}` } : parameter;
}

function smallOperation(
  { operationId, summary, description, parameters, responses }: Operation,
  known: Record<string, Parameter>,
): object {
  const { 'application/json': json } = { 'application/json': {}, ...responses[200]?.content };
  return {
    ...{ operationId, summary, description: description?.replace(` ${FILTERS_NOTE}`, '') },
    parameters: parameters
      .filter((parameter) => parameter.in !== 'header')
      .map((parameter) => sharedIn(known, parameter)),
    responses: {
      200: { description: 'OK', content: { 'application/json': json } },
      default: { $ref: '#/components/responses/Error' },
    },
  };
}

const LEFT_OUT = ['description', 'required', 'additionalProperties'];
const USUAL_FORMATS = ['int64', 'double'];

/** The schema of a page with what tells columns apart. */
function smallPage(page: JsonSchema): JsonSchema {
  const isLeftOut = (name: string, value: unknown) =>
    LEFT_OUT.includes(name) || (name === 'format' && USUAL_FORMATS.includes(String(value)));
  const text = JSON.stringify(page, (name, value) => (isLeftOut(name, value) ? undefined : value));
  return JSON.parse(text) as JsonSchema;
}

/** The schemas that a value refers to, directly or through others; equal ones once. */
function schemasOf(value: unknown, schemas: Schemas): Schemas {
  const found: Record<string, JsonSchema> = {};
  const add = (text: string) => {
    for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      const schema = schemas[name];
      if (!schema || found[name]) continue;
      found[name] = /^US\d+Page$/.test(name) ? smallPage(schema) : schema;
      add(JSON.stringify(schema));
    }
  };
  add(JSON.stringify(value));
  const first = new Map<string, string>();
  const small = Object.entries(found).map(([name, schema]) => {
    const text = JSON.stringify(schema);
    const known = first.get(text);
    first.set(text, known ?? name);
    return [name, known === undefined ? schema : referenceTo(known)];
  });
  return Object.fromEntries(small);
}

/** The document of rows, made from the whole one. */
export function dataDocument(whole: ReturnType<typeof openApiDocument>) {
  const { openapi, info, servers, components } = whole;
  const parameters: Record<string, Parameter> = {};
  const all = Object.entries(whole.paths as Readonly<Record<string, { readonly get: Operation }>>);
  const ofRows = all.filter(([path]) => ROWS.test(path));
  const paths = [...ofRows, ...all.filter(([path]) => CATALOGUE.test(path))].map(
    ([path, { get }]) => [path, { get: smallOperation(get, parameters) }],
  );
  return {
    openapi,
    info: { ...info, description: DESCRIPTION },
    servers,
    security: [{ apiKey: [] }],
    paths: Object.fromEntries(paths),
    components: {
      securitySchemes: { apiKey: components.securitySchemes.apiKey },
      parameters,
      responses: ERRORS,
      schemas: schemasOf([paths, ERRORS], components.schemas),
    },
  };
}
