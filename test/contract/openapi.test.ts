import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENDPOINTS } from '../../src/routes/endpoints.ts';
import type { TestService } from '../harness.ts';
import { openContractService } from './fixture.ts';

interface Operation {
  readonly operationId: string;
  readonly security?: unknown[];
  readonly parameters: { name: string; in: string; schema: Record<string, unknown> }[];
  readonly responses: Record<string, { content: Record<string, { schema: object }> }>;
}

let service: TestService;
let document: {
  info: { version: string };
  paths: Record<string, { get: Operation }>;
  components: { schemas: Record<string, object> };
};
beforeAll(async () => {
  service = await openContractService();
  document = (await service.app.inject('/v1/openapi.json')).json();
});
afterAll(() => service.close());

const operations = () => Object.entries(document.paths).map(([path, { get }]) => ({ path, get }));

/** A path of the document with values that find something. */
function concretePath(path: string): string {
  const values: Record<string, string> = {
    dataset_id: 'US1032',
    trade_date: '2025-06-18',
    identifier: 'AAA',
  };
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] as string);
}

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
    const fixed = ENDPOINTS.filter(({ path }) => !path.startsWith('/data/')).map(({ path }) =>
      path.replaceAll(/:(\w+)/g, '{$1}'),
    );
    const data = service.services.catalog.datasets.map(
      ({ group, segment, pathShape }) =>
        `/data/${group}/${segment}${{ tick: '/{trade_date}/{identifier}', identifier: '/{identifier}', query: '' }[pathShape]}`,
    );
    expect(Object.keys(document.paths).sort()).toEqual([...new Set([...fixed, ...data])].sort());
  });

  it('describes only paths that are routes: none of them is a 404', async () => {
    for (const { path } of operations()) {
      const answer = await service.get(`/v1${concretePath(path)}`);
      expect([200, 422], `${path}: ${answer.body}`).toContain(answer.statusCode);
    }
  });

  it('declares the path parameters that each path has', () => {
    for (const { path, get } of operations()) {
      const declared = get.parameters.filter((p) => p.in === 'path').map(({ name }) => name);
      expect(declared).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
    }
  });

  it('says rightly which endpoints need a key', async () => {
    for (const { path, get } of operations()) {
      const answer = await service.app.inject(`/v1${concretePath(path)}`);
      expect(answer.statusCode === 401, path).toBe(get.security === undefined);
    }
  });

  it('declares the statuses and bodies that come back', async () => {
    for (const { path, get } of operations()) {
      for (const url of [concretePath(path), `${concretePath(path)}?Nope=1`]) {
        const answer = await service.get(`/v1${url}`);
        const response = get.responses[answer.statusCode];
        expect(response, `${answer.statusCode} of ${path}`).toBeDefined();
        const schema = response?.content['application/json']?.schema ?? { type: 'nothing' };
        expect(
          fits(answer.json(), schema as Record<string, unknown>),
          `${answer.statusCode} of ${path}`,
        ).toBe(true);
      }
    }
  });

  it('names every declared query parameter that data endpoints take', async () => {
    for (const { path, get } of operations().filter((o) => o.path.startsWith('/data/'))) {
      for (const { name } of get.parameters.filter((p) => p.in === 'query')) {
        const answer = await service.get(`/v1${concretePath(path)}?${name}=%21`);
        expect(answer.statusCode, `${name} of ${path}`).toBe(422);
        const known =
          !answer.body.includes('do not exist in the dataset: ') || /sort|columns/.test(name);
        expect(known, `${name} of ${path}: ${answer.body}`).toBe(true);
      }
    }
  });

  it('has no dangling reference and no operation id twice', () => {
    for (const reference of references(document)) {
      const name = reference.replace('#/components/schemas/', '');
      expect(document.components.schemas[name], reference).toBeDefined();
    }
    const ids = operations().map(({ get }) => get.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
