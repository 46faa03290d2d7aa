/** TypeScript of the schemas and endpoints of an OpenAPI document. */

/** The part of JSON Schema that our documents use. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly oneOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | false;
  readonly description?: string;
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

interface Content {
  readonly content: { readonly 'application/json': { readonly schema: JsonSchema } };
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: { readonly 200: Partial<Content> };
}

export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
}

function indented(text: string): string {
  return text.replaceAll('\n', '\n  ');
}

/** One member after the other, each with its comment. */
function objectText(members: readonly string[]): string {
  if (members.length === 0) return 'Readonly<Record<string, never>>';
  return `{\n  ${members.map(indented).join('\n  ')}\n}`;
}

function memberText(name: string, schema: JsonSchema, isRequired: boolean): string {
  const comment = schema.description ? `/** ${schema.description}. */\n` : '';
  const key = /^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`;
  return `${comment}readonly ${key}${isRequired ? '' : '?'}: ${typeText(schema)};`;
}

function objectTypeText({ properties, required = [], additionalProperties }: JsonSchema): string {
  if (properties) {
    const entries = Object.entries(properties);
    return objectText(
      entries.map(([name, schema]) => memberText(name, schema, required.includes(name))),
    );
  }
  const value = additionalProperties ? typeText(additionalProperties) : 'unknown';
  return `Readonly<Record<string, ${value}>>`;
}

const TYPE_TEXTS: Readonly<Record<string, (schema: JsonSchema) => string>> = {
  string: ({ enum: values }) => values?.map((value) => `'${value}'`).join(' | ') ?? 'string',
  integer: () => 'number',
  number: () => 'number',
  boolean: () => 'boolean',
  null: () => 'null',
  array: ({ items }) => `readonly ${wrapped(typeText(items ?? {}))}[]`,
  object: objectTypeText,
};

function wrapped(text: string): string {
  return / \| |^readonly /.test(text) && !text.startsWith('{') ? `(${text})` : text;
}

function typeText(schema: JsonSchema): string {
  if (schema.$ref !== undefined) return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices && !schema.type) return choices.map(typeText).join(' | ');
  const types = [schema.type ?? []].flat();
  if (types.length === 0) return 'unknown';
  return types.map((type) => TYPE_TEXTS[type]?.(schema) ?? 'unknown').join(' | ');
}

function declarationText([name, schema]: [string, JsonSchema]): string {
  const text = typeText(schema);
  const isInterface = schema.type === 'object' && text.startsWith('{');
  return isInterface ? `export interface ${name} ${text}` : `export type ${name} = ${text};`;
}

function parametersText(parameters: readonly Parameter[], place: Parameter['in']): string {
  return objectText(
    parameters
      .filter((parameter) => parameter.in === place)
      .map(({ name, schema, description, required }) =>
        memberText(name, { ...schema, ...(description ? { description } : {}) }, required),
      ),
  );
}

/** Bytes unless it is JSON; null without a body. */
function contentText({ content }: Partial<Content>): string {
  if (!content) return 'null';
  const json = (content as Partial<Content['content']>)['application/json'];
  return json ? typeText(json.schema) : 'Uint8Array';
}

function endpointText(path: string, method: string, operation: Operation): string {
  const { operationId, summary, parameters, requestBody, responses } = operation;
  const members = {
    method: `'${method.toUpperCase()}'`,
    path: `'${path}'`,
    pathParameters: parametersText(parameters, 'path'),
    query: parametersText(parameters, 'query'),
    body: requestBody ? contentText(requestBody) : 'null',
    answer: contentText(responses[200]),
  };
  const texts = Object.entries(members).map(([name, text]) => `readonly ${name}: ${text};`);
  return `/** ${summary}. */\nreadonly ${operationId}: ${objectText(texts)};`;
}

/** A module with a type for each schema, and one for all endpoints by their operation ids. */
export function typescriptOf({ paths, components }: ApiDocument): string {
  const schemas = Object.entries(components.schemas)
    .filter(([name]) => name !== 'OpenApiDocument')
    .map(declarationText);
  const endpoints = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => endpointText(path, method, operation)),
  );
  return [
    '// Made by `npm run build:client` from the schemas of the server.',
    ...schemas,
    'export type OpenApiDocument = Readonly<Record<string, unknown>>;',
    `/** What each endpoint takes and answers, by its operation id. */\nexport interface Endpoints ${objectText(endpoints)}`,
  ]
    .join('\n\n')
    .concat('\n');
}
