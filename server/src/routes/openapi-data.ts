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
  readonly required: boolean;
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
const SHORT_PATH_NOTE = / Also under \S+\.$/;
const CATALOGUE = /^\/(status|bulk\/.*|meta\/datasets\/(my|[^/]+\/(info|columns|status)))$/;

const DESCRIPTION =
  'Reads rows. Every column is also a filter, with operators such as TradeDate.ge. ' +
  'Paths are also known without eq-, opt- or fut-, such as /data/us-equity/taq-daily. ' +
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
function sharedIn(known: Record<string, object>, { required, ...optional }: Parameter): object {
  const { name } = optional;
  const parameter = required ? { ...optional, required } : optional;
  known[name] ??= parameter;
  const isSame = JSON.stringify(known[name]) === JSON.stringify(parameter);
  return isSame ? { $ref: `#/components/parameters/${name}` } : parameter;
}

function smallOperation(
  { operationId, summary, description, parameters, responses }: Operation,
  known: Record<string, object>,
): object {
  const { 'application/json': json } = { 'application/json': {}, ...responses[200]?.content };
  return {
    ...{ operationId, summary },
    description: description?.replace(` ${FILTERS_NOTE}`, '').replace(SHORT_PATH_NOTE, ''),
    parameters: parameters
      .filter((parameter) => parameter.in !== 'header')
      .map((parameter) => sharedIn(known, parameter)),
    responses: {
      200: { description: 'OK', content: { 'application/json': json } },
      default: { $ref: '#/components/responses/Error' },
    },
  };
}

const OF_PAGES = ['description', 'required'];
const USUAL_FORMATS = ['int64', 'double'];

/** A schema that may grow; of a page, what tells columns apart. */
function smallSchema(schema: JsonSchema, isPage: boolean): JsonSchema {
  const isLeftOut = (name: string, value: unknown) =>
    (name === 'additionalProperties' && value === false) ||
    (isPage && OF_PAGES.includes(name)) ||
    (isPage && name === 'format' && USUAL_FORMATS.includes(String(value)));
  const text = JSON.stringify(schema, (name, value) =>
    isLeftOut(name, value) ? undefined : value,
  );
  return JSON.parse(text) as JsonSchema;
}

/** The schemas that a value refers to, directly or through others; equal ones once. */
function schemasOf(value: unknown, schemas: Schemas): Schemas {
  const found: Record<string, JsonSchema> = {};
  const add = (text: string) => {
    for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      const schema = schemas[name];
      if (!schema || found[name]) continue;
      found[name] = smallSchema(schema, /^US\d+Page$/.test(name));
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
  const parameters: Record<string, object> = {};
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
