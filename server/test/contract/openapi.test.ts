import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENDPOINTS } from '../../src/routes/endpoints.ts';
import type { TestService } from '../harness.ts';
import { writing } from '../writing.ts';
import { openContractService } from './fixture.ts';

type Method = 'get' | 'post';

interface Operation {
  readonly operationId: string;
  readonly description?: string;
  readonly security?: unknown[];
  readonly requestBody?: { content: Record<string, { schema: Record<string, unknown> }> };
  readonly parameters: { name: string; in: string; schema: Record<string, unknown> }[];
  readonly responses: Record<string, { content: Record<string, { schema: object }> }>;
}

let service: TestService;
/** Key of an administrator who is entitled to every dataset. */
let key: string;
/** An owner of the same account. */
let ownerId: number;
let ownKeyId: string;
let ownPersonId = '';
let declinedId = '';
let values: Record<string, string | undefined>;
let document: {
  info: { version: string };
  paths: Record<string, Partial<Record<Method, Operation>>>;
  components: { schemas: Record<string, object> };
};
beforeAll(async () => {
  service = await openContractService({
    site: { public_catalogue: true, public_samples: ['US1032'] },
  });
  const { store } = service.services;
  key = service.key;
  ownerId = await service.addPerson('owner', service.accountId);
  const spare = { name: 'spare', hash: 'ab', reference: 'spar', createdAtMs: 0, expiresAtMs: 1e13 };
  ownKeyId = String(await writing(store).keys.create({ accountId: service.accountId, ...spare }));
  await writing(store).accounts.update(service.accountId, { isAdmin: true });
  const other = await service.addAccount('other');
  const rule = { accountId: other.accountId, datasetId: 'US1032', endDate: null, universe: [] };
  ownPersonId = String(await service.addPerson('member', service.accountId));
  const asked = { accountId: other.accountId, askedBy: '', note: '', createdAtMs: 0 };
  const ask = async (datasetId: string) =>
    String(await writing(store).accessRequests.add({ ...asked, datasetId }));
  const enquiry = { email: 'a@b.example', datasetId: null, note: '', createdAtMs: 0 };
  declinedId = await ask('US1002');
  values = {
    request_id: await ask('US1001'),
    enquiry_id: String(await writing(store).enquiries.add(enquiry, 1)),
    dataset_id: 'US1032',
    trade_date: '2025-06-18',
    identifier: 'AAA',
    version: '1',
    identity_id: String(other.accountId),
    key_id: String((await store.keys.listOf(other.accountId))[0]?.keyId),
    person_id: String(await service.addPerson('member', other.accountId)),
    publication_id: '1',
    rule_id: String(await writing(store).rules.add({ ...rule, startDate: '2020-01-01' })),
  };
  document = (await service.app.inject('/v1/openapi.json')).json();
});
afterAll(() => service.close());

/**
 * Other tests cover bodies of `/ingest` and `/files`, bytes that depend on an upload or a manifest,
 * and errors of `/delta-sharing`, which have that protocol's form.
 */
const operations = () =>
  Object.entries(document.paths)
    .filter(([path]) => !/^\/(ingest|files|delta-sharing)\//.test(path))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        path,
        method: method as Method,
        operation,
      })),
    );

/** Credentials of an administrator: the key, or a session where only people are let in. */
async function credentials(operation?: Operation): Promise<Record<string, string>> {
  const isForPeople = operation?.security?.some((way) => 'session' in (way as object));
  return isForPeople ? await service.sessionOf(ownerId) : { 'x-api-key': key };
}

/** Asks as an administrator; a POST without a body, which most of them refuse. */
async function ask(method: Method, path: string, headers?: Record<string, string>) {
  const own = headers ?? (await credentials(operationAt(method, path)));
  return service.app.inject({ method, url: `/v1${path}`, headers: own });
}

/** An example of each path shape, by the number of parameters after the dataset's segment. */
const SEGMENTS = ['eq-market-holidays', 'eq-taq-1min', 'eq-taq'];
const GROUPS = ['us-equity-ref', 'us-equity', 'us-equity'];

/** The operation of a path with values in it. */
function operationAt(method: Method, url: string): Operation | undefined {
  const [target = ''] = url.split('?');
  return operations().find((one) => one.method === method && concretePath(one.path) === target)
    ?.operation;
}

/** A path of the document with values that find something. */
function concretePath(path: string): string {
  const [, rest = ''] = path.split('{segment}');
  const shape = rest.replace(/\/(aggregate|estimate|explain)$/, '').split('/').length - 1;
  const found: typeof values = { ...values, group: GROUPS[shape], segment: SEGMENTS[shape] };
  if (path.endsWith('/decline')) found.request_id = declinedId;
  if (path.startsWith('/account/my/')) {
    found.key_id = ownKeyId;
    found.person_id = ownPersonId;
  }
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => found[name] as string);
}

/** Deletions last, so that everything else still finds what it is about. */
const readingFirst = () =>
  operations().toSorted(
    (a, b) => Number(a.path.endsWith('/delete')) - Number(b.path.endsWith('/delete')),
  );

/** Every `$ref` under a value. */
function references(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === '$ref' ? [inner as string] : references(inner),
  );
}

/** Checks a value against the part of JSON Schema that the document uses. */
function fits(value: unknown, schema: Record<string, unknown>): boolean {
  if (schema.$ref) {
    const name = String(schema.$ref).split('/').at(-1) as string;
    return fits(value, document.components.schemas[name] as Record<string, unknown>);
  }
  const variants = (schema.oneOf ?? schema.anyOf) as Record<string, unknown>[] | undefined;
  if (variants) return variants.some((variant) => fits(value, variant));
  if (schema.enum && !(schema.enum as unknown[]).includes(value)) return false;
  if (schema.type === undefined) return true;
  const types = [schema.type].flat() as string[];
  if (value === null) return types.includes('null');
  if (Array.isArray(value)) {
    const items = schema.items as Record<string, unknown>;
    return types.includes('array') && value.every((item) => fits(item, items));
  }
  if (typeof value === 'object') {
    const properties = (schema.properties ?? {}) as Record<string, Record<string, unknown>>;
    const required = (schema.required ?? []) as string[];
    return (
      types.includes('object') &&
      required.every((name) => name in value) &&
      Object.entries(value).every(([name, inner]) =>
        properties[name] ? fits(inner, properties[name]) : schema.additionalProperties !== false,
      )
    );
  }
  if (typeof value === 'number') {
    return (
      types.includes(Number.isInteger(value) ? 'integer' : 'number') || types.includes('number')
    );
  }
  return types.includes(typeof value);
}

describe('the OpenAPI document', () => {
  it('has the version of the interface', () => {
    expect(document.info.version).toBe('0.5.1');
  });

  it('describes every route, and every dataset at its path', () => {
    const fixed = ENDPOINTS.filter(
      ({ path }) => !path.startsWith('/data/') || /\/(aggregate|estimate|explain)$/.test(path),
    ).map(({ path }) => path.replaceAll(/:(\w+)/g, '{$1}'));
    const data = service.services.catalog.datasets.map(
      ({ group, segment, pathShape }) =>
        `/data/${group}/${segment}${{ tick: '/{trade_date}/{identifier}', identifier: '/{identifier}', query: '' }[pathShape]}`,
    );
    expect(Object.keys(document.paths).sort()).toEqual([...new Set([...fixed, ...data])].sort());
  });

  it('describes only paths that are routes: none of them is a 404', async () => {
    for (const { path, method } of readingFirst()) {
      const answer = await ask(method, concretePath(path));
      expect([200, 422], `${method} ${path}: ${answer.body}`).toContain(answer.statusCode);
    }
  });

  it('describes the bodies of files as bytes, and how an upload stands', () => {
    const { post } = document.paths['/ingest/{dataset_id}'] ?? {};
    expect(Object.keys(post?.requestBody?.content ?? {})).toEqual(['application/octet-stream']);
    expect(Object.keys(post?.responses ?? {})).toEqual(
      expect.arrayContaining(['200', '201', '202', '404', '409', '422', '503']),
    );
    const methods = Object.keys(document.paths['/ingest/uploads/{upload_id}'] ?? {});
    expect(methods).toEqual(['get', 'head', 'patch', 'delete']);
  });

  it('declares the path parameters that each path has', () => {
    for (const { path, operation } of operations()) {
      const declared = operation.parameters.filter((p) => p.in === 'path').map(({ name }) => name);
      expect(declared).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
    }
  });

  it('says rightly which endpoints need a key', async () => {
    for (const { path, method, operation } of operations()) {
      const answer = await ask(method, concretePath(path), {});
      expect(answer.statusCode === 401, path).toBe(operation.security?.length !== 0);
    }
  });

  it('declares the statuses and bodies that come back', async () => {
    for (const { path, method, operation } of readingFirst()) {
      for (const url of [concretePath(path), `${concretePath(path)}?Nope=1`]) {
        const answer = await ask(method, url);
        const response = operation.responses[answer.statusCode];
        expect(response, `${answer.statusCode} of ${path}`).toBeDefined();
        const schema = response?.content['application/json']?.schema ?? { type: 'nothing' };
        expect(
          fits(answer.json(), schema as Record<string, unknown>),
          `${answer.statusCode} of ${path}`,
        ).toBe(true);
      }
    }
  });

  it('fits what the catalogue says of every dataset', async () => {
    for (const { datasetId } of service.services.catalog.datasets) {
      for (const what of ['info', 'columns', 'query', 'status']) {
        const path = `/meta/datasets/{dataset_id}/${what}`;
        const answer = await ask('get', path.replace('{dataset_id}', datasetId));
        expect(answer.statusCode).toBe(200);
        const response = document.paths[path]?.get?.responses[200];
        const schema = response?.content['application/json']?.schema ?? { type: 'nothing' };
        expect(
          fits(answer.json(), schema as Record<string, unknown>),
          `${what} of ${datasetId}: ${answer.body}`,
        ).toBe(true);
      }
    }
  });

  it('names the short form of each path, under which the same is served', async () => {
    const paths = operations().filter(({ path }) => path.startsWith('/data/'));
    const named = paths.flatMap(({ path, operation }) => {
      const [, short] = /Also under (\S+)\./.exec(operation.description ?? '') ?? [];
      return short ? [{ path, short }] : [];
    });
    expect(named.length).toBeGreaterThan(20);
    for (const { path, short } of named) {
      const rest = path.split('/').slice(4).join('/');
      const url = concretePath(rest === '' ? short : `${short}/${rest}`);
      expect((await ask('get', url)).body).toBe((await ask('get', concretePath(path))).body);
    }
  });

  it('names the filters that a path needs, and only where it needs them', async () => {
    const ofRows = operations().filter((o) => /^\/data\/us-/.test(o.path));
    for (const { path, operation } of ofRows) {
      const [, column] =
        /list on (\w+)( or \w+)* is required/.exec(operation.description ?? '') ?? [];
      const bare = await ask('get', concretePath(path));
      expect(bare.statusCode, path).toBe(column ? 422 : 200);
      const filtered = await ask('get', `${concretePath(path)}?${column}=1`);
      if (column) expect(filtered.statusCode, path).toBe(200);
    }
  });

  it('names every declared query parameter that data endpoints take', async () => {
    for (const { path, operation } of operations().filter((o) => o.path.startsWith('/data/'))) {
      for (const { name } of operation.parameters.filter((p) => p.in === 'query')) {
        const answer = await service.get(`/v1${concretePath(path)}?${name}=%21`);
        expect(answer.statusCode, `${name} of ${path}`).toBe(422);
        const known =
          !answer.body.includes('do not exist in the dataset: ') || /sort|columns/.test(name);
        expect(known, `${name} of ${path}: ${answer.body}`).toBe(true);
      }
    }
  });

  it('allows an empty text where the server does, and nowhere else', async () => {
    const paths = ['/data/us-equity/eq-daily-ohlc', '/audit-log'];
    for (const path of paths) {
      const names: string[] = [];
      for (const parameter of operationAt('get', path)?.parameters ?? []) {
        const { name, in: place, schema } = parameter;
        if (place !== 'query') continue;
        const { type, enum: known, pattern, minLength = 0 } = schema as Record<string, never>;
        const isAllowed =
          type === 'string' && !known && minLength === 0 && new RegExp(pattern ?? '').test('');
        const { statusCode } = await ask('get', `${path}?${name}=`, { 'x-api-key': key });
        expect(statusCode === 200, `${name} of ${path}`).toBe(isAllowed);
        names.push(name);
      }
      expect(names.length, path).toBeGreaterThan(3);
    }
  });

  it('describes the body of each POST that takes one, and every field that it declares', async () => {
    for (const { path, method, operation } of readingFirst().filter((o) => o.method === 'post')) {
      const schema = operation.requestBody?.content['application/json']?.schema ?? {};
      const described = (schema.properties ?? {}) as Record<string, { type?: string }>;
      const properties = Object.keys(described);
      const payload = Object.fromEntries([...properties, 'nope'].map((name) => [name, { a: 1 }]));
      const answer = await service.app.inject({
        method: method.toUpperCase() as 'POST',
        url: `/v1${concretePath(path)}`,
        headers: await credentials(operation),
        payload,
      });
      expect(answer.statusCode, `${path}: ${answer.body}`).toBe(422);
      const { detail } = answer.json() as { detail: { type: string; loc: string[] }[] };
      const unknown = detail.filter(
        ({ type, loc }) => type === 'unknown_field' && loc.length === 2,
      );
      expect(
        unknown.map(({ loc }) => loc),
        path,
      ).toEqual([['body', 'nope']]);
      // An object of any members may have these.
      for (const name of properties.filter((each) => described[each]?.type !== 'object')) {
        expect(
          detail.some(({ loc }) => loc[1] === name),
          `${name} of ${path}`,
        ).toBe(true);
      }
    }
  });

  it('has no dangling reference and no operation id twice', () => {
    for (const reference of references(document)) {
      const name = reference.replace('#/components/schemas/', '');
      expect(document.components.schemas[name], reference).toBeDefined();
    }
    const ids = operations().map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
