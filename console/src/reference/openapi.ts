import { holdsAll } from '../format/texts';

export interface SchemaObject {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly description?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly items?: SchemaObject;
  readonly properties?: Readonly<Record<string, SchemaObject>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly SchemaObject[];
  readonly oneOf?: readonly SchemaObject[];
}

interface MediaType {
  readonly schema?: SchemaObject;
}

type Content = Readonly<Record<string, MediaType>>;

interface ParameterObject {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: SchemaObject;
}

interface ResponseObject {
  readonly description?: string;
  readonly headers?: Readonly<Record<string, { readonly description?: string }>>;
  readonly content?: Content;
}

type Security = readonly Readonly<Record<string, readonly string[]>>[];

interface OperationObject {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly ParameterObject[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, ResponseObject>>;
  readonly security?: Security;
}

export interface OpenApiDocument {
  readonly info: { readonly title: string; readonly version: string };
  readonly security?: Security;
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, SchemaObject>> };
}

export type OperationAnswer = ReturnType<typeof answerOf>;
export type Operation = ReturnType<typeof operationsOf>[number];

const METHODS = ['get', 'post', 'patch', 'delete', 'head'];
const JSON_TYPE = 'application/json';

function answerOf(status: string, answer: ResponseObject) {
  const { description = '', headers = {}, content = {} } = answer;
  return {
    status,
    description,
    headers: Object.entries(headers).map(([name, header]) => ({
      name,
      description: header.description ?? '',
    })),
    contentTypes: Object.keys(content),
    /** Null without JSON. */
    schema: content[JSON_TYPE]?.schema ?? null,
  };
}

/** Null: the operation takes none. */
function bodyOf({ requestBody }: OperationObject) {
  const [first] = Object.entries(requestBody?.content ?? {});
  return first ? { contentType: first[0], schema: first[1].schema ?? {} } : null;
}

export function operationsOf(document: OpenApiDocument) {
  return Object.entries(document.paths).flatMap(([path, ofPath]) =>
    METHODS.flatMap((method) => {
      const operation = ofPath[method];
      if (!operation) return [];
      const security = operation.security ?? document.security ?? [];
      return [
        {
          id: operation.operationId,
          method: method.toUpperCase(),
          /** Below the version prefix, with `{name}` for path parameters. */
          path,
          summary: operation.summary ?? '',
          description: operation.description ?? '',
          parameters: operation.parameters ?? [],
          body: bodyOf(operation),
          answers: Object.entries(operation.responses).map(([status, each]) =>
            answerOf(status, each),
          ),
          /** Accepted ones of key, session and bearer token; none: anybody may ask. */
          credentials: security.flatMap(Object.keys),
        },
      ];
    }),
  );
}

/** The operation that an address names by its id or its path; undefined without one. */
export function namedOperation(
  operations: readonly Operation[],
  name: string,
): Operation | undefined {
  return operations.find(({ id, path }) => id === name || path === name);
}

export function matchingOperations(
  operations: readonly Operation[],
  text: string,
): readonly Operation[] {
  return operations.filter(({ id, method, path, summary, description }) =>
    holdsAll([id, method, path, summary, description].join(' '), text),
  );
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** For a shell, with the key in the environment. `base`: `https://host/v1`; `body`: JSON, or ''. */
export function curlText(
  { method, path, credentials, body: taken }: Operation,
  base: string,
  body: string,
): string {
  const words: Readonly<Record<string, string>> = { GET: 'curl', HEAD: 'curl --head' };
  return [
    words[method] ?? `curl --request ${method}`,
    ...(credentials.includes('apiKey') ? ['--header "X-API-KEY: $TICKLAKE_KEY"'] : []),
    ...(taken ? [`--header ${quoted(`Content-Type: ${taken.contentType}`)}`] : []),
    ...(body === '' ? [] : [`--data ${quoted(body)}`]),
    quoted(base + path),
  ].join(' \\\n  ');
}

const GROUPS: readonly { readonly title: string; readonly paths: readonly string[] }[] = [
  { title: 'Rows', paths: ['/data/'] },
  { title: 'Whole results and estimates', paths: ['/bulk/', '/files/', '/data-scan/'] },
  { title: 'Catalogue and versions', paths: ['/meta/', '/publications', '/public/'] },
  { title: 'Symbols', paths: ['/symbology/'] },
  { title: 'Your account', paths: ['/account/', '/session'] },
  { title: 'Service', paths: ['/status', '/receipts/', '/openapi'] },
  { title: 'Delta Sharing', paths: ['/delta-sharing/'] },
  { title: 'Loading', paths: ['/ingest/'] },
];

/** For paths that no group has. */
const ADMINISTRATION = 'Administration';

/** Follow the path of a request for rows. */
const ABOUT_ROWS = /^\/data\/.*\/(estimate|explain)$/;

function titleOf({ path }: Operation): string {
  const asked = ABOUT_ROWS.test(path) ? '/data-scan/' : path;
  const group = GROUPS.find(({ paths }) => paths.some((start) => asked.startsWith(start)));
  return group?.title ?? ADMINISTRATION;
}

/** Groups that have operations, in the order of this table, administration last. */
export function groupedOperations(operations: readonly Operation[]) {
  const byTitle = Map.groupBy(operations, titleOf);
  return [...GROUPS.map(({ title }) => title), ADMINISTRATION].flatMap((title) => {
    const ofTitle = byTitle.get(title);
    return ofTitle ? [{ title, operations: ofTitle }] : [];
  });
}
