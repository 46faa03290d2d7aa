/**
 * The OpenAPI document and the server agree: values that a schema allows are never refused for
 * their grammar, and values just beyond it are refused, for every parameter and body field.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UNLIMITED } from '../../src/store/accounts.ts';
import type { TestService } from '../harness.ts';
import { SAMPLED_SHARE, sampleOf } from '../repetitions.ts';
import { writing } from '../writing.ts';
import { openContractService } from './fixture.ts';

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly anyOf?: readonly { required: readonly string[] }[];
  readonly examples?: readonly unknown[];
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: Schema;
}

interface Operation {
  readonly operationId: string;
  readonly security?: readonly object[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { content: { 'application/json': { schema: Schema } } };
}

type Method = 'get' | 'post';
type Values = Readonly<Record<string, unknown>>;

/**
 * Fields that JSON Schema cannot fully describe, each with a legal value to send and the reason.
 */
const KNOWN_VALUES: Readonly<Record<string, readonly [value: unknown, reason: string]>> = {
  limit: [10, 'the maximum depends on response_format'],
  expires_at: ['2030-01-31T17:00:00Z', 'it has to lie in the future'],
  expires_in: ['90d', 'the maximum depends on the unit'],
  month: [{ requests: 1 }, 'an object without members counts as not given'],
  minute: [{ requests: 1 }, 'an object without members counts as not given'],
  from: ['2025-06-01', 'it depends on the other end'],
  to: ['2025-06-30', 'it depends on the other end'],
  as_of: ['2025-06-18T12:00:00Z', 'a pattern cannot tell which times exist'],
  continuous: ['false', 'true is for datasets whose rows name companies by date'],
  select: ['count', 'which columns fit depends on their types'],
  by: ['TradeDate', 'which columns fit depends on their types'],
  symbols: ['any', 'strict is for datasets whose rows name companies by date'],
  dataset_ids: [['US1032'], 'they have to be in the catalogue'],
  input: [{}, 'its fields depend on the operation'],
};

/** Like `KNOWN_VALUES`, for the query of one path. */
const KNOWN_IN_QUERY: typeof KNOWN_VALUES = {
  '/meta/datasets/{dataset_id}/changes from': ['1', 'it is a version'],
  '/meta/datasets/{dataset_id}/changes to': ['1', 'it is a version'],
  '/usage-by-month from': ['2025-06', 'it is a month'],
  '/usage-by-month to': ['2025-06', 'it is a month'],
};

const knownInQuery = (path: string, name: string) =>
  KNOWN_IN_QUERY[`${path} ${name}`] ?? KNOWN_VALUES[name];

/** Refusals for what a request means, not for how it is written. */
const MEANINGS = new Set([
  ...['unknown_column', 'duplicate_column', 'missing', 'history_limit', 'date_outside_window'],
  'date_in_future',
  ...[
    'overlapping_rule',
    'no_universe',
    'name_taken',
    'email_taken',
    'given_twice',
    'end_before_start',
    'range_too_long',
    'no_mail_server',
    'after_contract',
    'unknown_dataset',
    'unknown_group',
  ],
]);

/** Parameters that apply together with `adjusted=true` alone. */
const ONLY_ADJUSTED = new Set([
  ...['adjusted_as_of', 'adjustments', 'adjustment_factors', 'factors_version'],
]);

function typesOf({ type }: Schema): readonly string[] {
  return [type ?? []].flat();
}

const isAscii = (text: string) => /^[ -~]*$/.test(text);
const isRealDate = (text: string) => {
  const [day = ''] = /^\d{4}-\d\d-\d\d/.exec(text) ?? [];
  const date = new Date(`${day}T00:00:00Z`);
  return day === '' || (!Number.isNaN(date.getTime()) && date.toISOString().startsWith(day));
};

/** Values that the schema allows. */
function allowed(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.examples) return fc.constantFrom(...schema.examples);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const kinds: Readonly<Record<string, () => fc.Arbitrary<unknown>>> = {
    null: () => fc.constant(null),
    boolean: () => fc.boolean(),
    integer: () => {
      const { minimum = -1000, maximum = 1000 } = schema;
      return fc.oneof(
        fc.constantFrom(minimum, maximum),
        fc.integer({ min: minimum, max: maximum }),
      );
    },
    array: () =>
      fc.array(allowed(schema.items ?? {}), { minLength: schema.minItems ?? 0, maxLength: 3 }),
    string: () => {
      const { minLength = 0, maxLength = 40, pattern } = schema;
      if (pattern === undefined)
        return fc.string({ minLength, maxLength: Math.min(maxLength, 60) });
      return fc
        .stringMatching(new RegExp(pattern, 'u'))
        .filter(isAscii)
        .filter(isRealDate)
        .filter(({ length }) => length >= minLength && length <= maxLength);
    },
  };
  const made = typesOf(schema).flatMap((type) => kinds[type]?.() ?? []);
  return fc.oneof(...made);
}

/** Texts of which schemas with a pattern refuse some. */
const ODD_TEXTS = [
  ...['a,', '\u0007', '2025-13-01', '5', ' a'],
  ...[
    '',
    ' ',
    ',',
    'a,',
    ',a',
    'a,,b',
    '-',
    '+',
    ' a',
    'a ',
    'a\nb',
    '\u0000',
    '\u0007',
    'a\u200bb',
  ],
  ...['2025-02-00', '2025-13-01', '1899-12-31', '2200-01-01', '20250618', '2025-06-18T25:00:00Z'],
  ...['0Y', '5', '5M', '10000Y', '5y', 'x@', '@x', 'a b@c', '0d', '90', '1w', '256.0.0.0/8x', 'g'],
];

/** Texts tried per pattern: enough to tell it from the server's, few enough to be quick. */
const ODD_TEXTS_TRIED = 6;

/** Values just beyond what the schema allows; those of a query are texts. */
function forbidden(schema: Schema, isText: boolean): unknown[] {
  const types = typesOf(schema);
  const values: unknown[] = [];
  if (!isText) {
    if (!types.includes('null')) values.push(null);
    if (!types.includes('object')) values.push({ a: 1 });
    if (!types.includes('array')) values.push([true]);
    if (!types.includes('string')) values.push('word');
    if (!types.includes('integer')) values.push(7);
    if (!types.includes('boolean')) values.push(true);
  }
  if (types.includes('integer')) {
    values.push(...(isText ? ['', 'x', '1.5', '1e3', ' 1'] : [1.5]));
    if (schema.minimum !== undefined) values.push(schema.minimum - 1);
    if (schema.maximum !== undefined) values.push(schema.maximum + 1);
  }
  if (types.includes('boolean') && isText) values.push('', 'yes', '1');
  if (schema.enum) {
    const others = ['', 'nothing', String(schema.enum[0]).toUpperCase()];
    values.push(...others.filter((text) => !schema.enum?.includes(text)));
  }
  if (types.includes('string') && !schema.enum) {
    const { minLength = 0, maxLength, pattern } = schema;
    if (minLength > 0) values.push('A'.repeat(minLength - 1));
    if (maxLength !== undefined) values.push('A'.repeat(maxLength + 1));
    if (pattern !== undefined) {
      const allows = new RegExp(pattern, 'u');
      values.push(...ODD_TEXTS.filter((text) => !allows.test(text)).slice(0, ODD_TEXTS_TRIED));
    }
  }
  if (schema.maxItems !== undefined && schema.items && !isText) {
    const entries = Array.from(
      { length: schema.maxItems + 1 },
      (_, i) => `10.${i >> 8}.${i & 255}.1`,
    );
    values.push(entries, ...forbidden(schema.items, false).map((entry) => [entry]));
  }
  return isText ? [...new Set(values.map(String))].filter((text) => text.length < 400) : values;
}

let service: TestService;
let key: string;
let ownerId: number;
let paths: Readonly<Record<string, Partial<Record<Method, Operation>>>>;
let operations: { path: string; method: Method; operation: Operation }[];
let values: Record<string, string>;

beforeAll(async () => {
  service = await openContractService({
    site: { public_catalogue: true, public_samples: ['US1032'] },
  });
  const { store } = service.services;
  key = service.key;
  await writing(store).accounts.update(service.accountId, {
    isAdmin: true,
    maxActiveApiKeys: 1000,
  });
  ownerId = await service.addPerson('owner', service.accountId);
  const { accountId } = await service.addAccount('other');
  await writing(store).accounts.update(accountId, { maxActiveApiKeys: 1000 });
  const plan = { name: 'a plan', limits: UNLIMITED, contractEndsAtMs: null, contractDays: null };
  values = {
    plan_id: String(await writing(store).offers.create({ ...plan, createdAtMs: 0 })),
    dataset_id: 'US1032',
    trade_date: '2025-06-18',
    identifier: 'AAA',
    version: '1',
    identity_id: String(accountId),
    key_id: '999999',
    person_id: String(await service.addPerson('member', accountId)),
    ...{ rule_id: '999999', request_id: '999999', session_id: '999999' },
    group: 'us-equity',
    segment: 'eq-taq',
  };
  ({ paths } = (await service.app.inject('/v1/openapi.json')).json());
  // Bodies of files are bytes.
  // Delta Sharing has statuses and errors of its own, and takes members that nobody knows.
  const described = Object.entries(paths).filter(
    ([path]) => !/^\/(ingest|delta-sharing)\//.test(path),
  );
  operations = described.flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method: method as Method,
      operation,
    })),
  );
  // One data path for each set of parameters.
  const seen = new Set<string>();
  operations = operations.filter(({ path, operation }) => {
    if (!path.startsWith('/data/')) return true;
    // The segment above has ticks.
    if (path.includes('{segment}') && !path.includes('{trade_date}')) return false;
    const kind = operation.parameters.map(({ name }) => name).join();
    return !seen.has(kind) && seen.add(kind);
  });
  operations = [...sampleOf(operations)];
});
afterAll(() => service.close());

function urlOf(path: string, changes: Values = {}): string {
  return `/v1${path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(changes[name] ?? values[name])),
  )}`;
}

/** Keeps requests apart: the clock advances, and the test's own account stays open. */
async function send(
  { path, method, operation }: (typeof operations)[number],
  place: Parameter['in'] | 'body',
  name: string,
  value: unknown,
) {
  const isForPeople = operation.security?.some((way) => 'session' in way);
  await writing(service.services.store).accounts.update(service.accountId, { ipSubnets: [] });
  service.clock.set(new Date(service.clock.now() + 1000).toISOString());
  const asked = Object.fromEntries(
    operation.parameters
      .filter((parameter) => parameter.in === 'query' && parameter.required)
      .map((parameter) => [parameter.name, String(knownInQuery(path, parameter.name)?.[0])]),
  );
  const also = ONLY_ADJUSTED.has(name) ? { adjusted: 'true', adjustments: 'splits' } : {};
  const given = place === 'query' ? { ...asked, ...also, [name]: String(value) } : asked;
  const query = `?${new URLSearchParams(given)}`;
  const answer = await service.app.inject({
    method: method.toUpperCase() as 'GET' | 'POST',
    url: `${urlOf(path, place === 'path' ? { [name]: value } : {})}${query}`,
    headers: isForPeople ? await service.sessionOf(ownerId) : { 'x-api-key': key },
    ...(place === 'body' ? { payload: value as object } : {}),
  });
  const { detail } = answer.statusCode === 422 ? answer.json() : { detail: [] };
  const problems = detail as { type: string; loc: string[]; msg: string }[];
  return { status: answer.statusCode, problems };
}

const sampled = (schema: Schema, count = 3) => fc.sample(allowed(schema), count);

function bodyOf(operation: Operation): Schema | undefined {
  return operation.requestBody?.content['application/json'].schema;
}

/** A whole body, so that only the field in question can be at fault. */
function legalBody(schema: Schema, also: Values): Values {
  const names = new Set([...(schema.required ?? []), ...(schema.anyOf?.[0]?.required ?? [])]);
  const entries = [...names].map((name) => {
    const known = KNOWN_VALUES[name];
    return [name, known ? known[0] : sampled(schema.properties?.[name] ?? {}, 1)[0]];
  });
  return { ...Object.fromEntries(entries), ...also };
}

const isSession = (path: string) => path.startsWith('/session');

describe('every parameter', () => {
  const parameters = () =>
    operations.flatMap((target) =>
      target.operation.parameters
        .filter((parameter) => parameter.in !== 'header')
        .map((parameter) => ({ target, parameter })),
    );

  it('is never refused for its grammar where its schema allows it', async () => {
    for (const { target, parameter } of parameters()) {
      const known = knownInQuery(target.path, parameter.name);
      const isChange = target.method === 'post' && parameter.in === 'path';
      const isKnown = known && parameter.in === 'query';
      // A change of whatever has a small id could end the test's own key.
      const only = isChange ? [parameter.schema.maximum] : isKnown ? [known[0]] : null;
      const tried = only ?? sampled(parameter.schema);
      for (const value of tried) {
        const isRelative = parameter.in === 'path' && /^\.{1,2}$/.test(String(value));
        if (isRelative) continue;
        const { problems } = await send(target, parameter.in, parameter.name, value);
        const grammar = problems.filter(
          ({ type, loc }) => loc[1] === parameter.name && !MEANINGS.has(type),
        );
        expect(grammar, `${parameter.name}=${value} of ${target.path}`).toEqual([]);
      }
    }
  });

  it('is refused just beyond its schema', async () => {
    let triedCount = 0;
    for (const { target, parameter } of parameters()) {
      for (const value of forbidden(parameter.schema, true)) {
        if (parameter.in === 'path' && value === '') continue;
        triedCount++;
        const { status, problems } = await send(target, parameter.in, parameter.name, value);
        const what = `${parameter.name}=${JSON.stringify(value)} of ${target.path}`;
        expect(status, what).toBe(422);
        expect(
          problems.some(({ loc }) => loc[1] === parameter.name),
          what,
        ).toBe(true);
      }
    }
    expect(triedCount).toBeGreaterThan(200 * SAMPLED_SHARE);
  });
});

describe('every field of a body', () => {
  const fields = () =>
    operations.flatMap((target) => {
      // Messages of another protocol have headers and errors of that protocol.
      const schema = target.path === '/mcp' ? undefined : bodyOf(target.operation);
      return Object.entries(schema?.properties ?? {}).map(([name, field]) => ({
        ...{ target, name, field },
        schema: schema as Schema,
      }));
    });

  it('is never refused for its grammar where its schema allows it', async () => {
    for (const { target, name, field, schema } of fields()) {
      const known = KNOWN_VALUES[name];
      for (const value of known ? [known[0]] : sampled(field)) {
        const { problems } = await send(target, 'body', name, legalBody(schema, { [name]: value }));
        const grammar = problems.filter(({ type, loc }) => loc[1] === name && !MEANINGS.has(type));
        expect(grammar, `${name}=${JSON.stringify(value)} of ${target.path}`).toEqual([]);
      }
    }
  });

  it('is refused just beyond its schema', async () => {
    let triedCount = 0;
    for (const { target, name, field, schema } of fields()) {
      if (isSession(target.path)) continue;
      for (const value of forbidden(field, false)) {
        triedCount++;
        const { status, problems } = await send(
          ...([target, 'body', name, legalBody(schema, { [name]: value })] as const),
        );
        const what = `${name}=${JSON.stringify(value)?.slice(0, 80)} of ${target.path}`;
        expect(status, what).toBe(422);
        expect(
          problems.some(({ loc }) => loc[1] === name),
          what,
        ).toBe(true);
      }
    }
    expect(triedCount).toBeGreaterThan(100 * SAMPLED_SHARE);
  });

  it('is refused where it is missing or unknown', async () => {
    for (const target of operations) {
      const schema = bodyOf(target.operation);
      if (!schema) continue;
      const body = legalBody(schema, {});
      const without = [...(schema.required ?? []), ...(schema.anyOf ? [''] : [])].map((name) =>
        name === ''
          ? Object.fromEntries((schema.required ?? []).map((each) => [each, body[each]]))
          : { ...body, [name]: undefined },
      );
      for (const bad of [...without, { ...body, nope: 1 }]) {
        const { status } = await send(target, 'body', '', bad);
        expect(status, `${JSON.stringify(bad)} to ${target.path}`).toBe(422);
      }
    }
  });
});
