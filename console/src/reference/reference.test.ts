import { describe, expect, it } from 'vitest';
import {
  curlText,
  groupedOperations,
  matchingOperations,
  namedOperation,
  type OpenApiDocument,
  type Operation,
  operationsOf,
} from './openapi';
import { exampleOf, fieldsOf, legalText, typeText } from './schema-text';

const DOCUMENT: OpenApiDocument = {
  info: { title: 'T', version: '1' },
  security: [{ apiKey: [] }, { session: [] }],
  paths: {
    '/status': {
      get: { operationId: 'showStatus', summary: 'Works?', security: [], responses: {} },
    },
    '/data/us/{trade_date}/{identifier}': {
      get: {
        operationId: 'read_taq',
        summary: 'Trades',
        parameters: [
          { name: 'trade_date', in: 'path', required: true, schema: { type: 'string' } },
          { name: 'identifier', in: 'path', required: true, schema: { type: 'string' } },
          { name: 'limit', in: 'query', schema: { type: 'integer' } },
          { name: 'Want-Repr-Digest', in: 'header', schema: { type: 'string' } },
        ],
        responses: {
          '200': {
            description: 'Rows',
            headers: { ETag: { description: 'A tag' } },
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Page' } } },
          },
        },
      },
    },
    '/people': {
      post: {
        operationId: 'createPerson',
        summary: 'New person',
        requestBody: { content: { 'application/json': { schema: { type: 'object' } } } },
        responses: {},
      },
    },
  },
  components: {
    schemas: {
      Page: {
        type: 'object',
        required: ['data'],
        properties: {
          data: { type: 'array', items: { $ref: '#/components/schemas/Row' } },
          next: { type: ['integer', 'null'] },
        },
      },
      Row: {
        type: 'object',
        properties: {
          Day: { type: ['string', 'null'], format: 'date', description: 'Trade date' },
        },
      },
    },
  },
};
const { schemas } = DOCUMENT.components;
const OPERATIONS = operationsOf(DOCUMENT);
const [STATUS, ROWS, PEOPLE] = OPERATIONS as [Operation, Operation, Operation];

describe('the operations of a document', () => {
  it('have who may ask: the document’s credentials, unless they have their own', () => {
    expect(STATUS.credentials).toEqual([]);
    expect(ROWS.credentials).toEqual(['apiKey', 'session']);
  });

  it('have answers with headers and the schema of their JSON', () => {
    expect(ROWS.answers).toEqual([
      {
        ...{ status: '200', description: 'Rows', contentTypes: ['application/json'] },
        headers: [{ name: 'ETag', description: 'A tag' }],
        schema: { $ref: '#/components/schemas/Page' },
      },
    ]);
  });

  it('are found by id, by path and by words', () => {
    expect(namedOperation(OPERATIONS, 'read_taq')).toBe(ROWS);
    expect(namedOperation(OPERATIONS, '/data/us/{trade_date}/{identifier}')).toBe(ROWS);
    expect(namedOperation(OPERATIONS, 'nothing')).toBeUndefined();
    expect(matchingOperations(OPERATIONS, 'POST person')).toEqual([PEOPLE]);
  });

  it('are grouped by their paths, in the order of the groups', () => {
    const groups = groupedOperations(OPERATIONS);
    expect(groups.map(({ title }) => title)).toEqual(['Rows', 'Service', 'Administration']);
    expect(groups.flatMap(({ operations }) => operations)).toHaveLength(OPERATIONS.length);
  });
});

describe('a schema', () => {
  it('names its type, through references', () => {
    expect(typeText({ type: ['string', 'null'], format: 'date' }, schemas)).toBe('date or null');
    expect(typeText({ type: 'array', items: { type: 'integer' } }, schemas)).toBe(
      'array of integer',
    );
    expect(typeText({ anyOf: [{ type: 'string' }, { type: 'null' }] }, schemas)).toBe(
      'string or null',
    );
    expect(typeText({ $ref: '#/components/schemas/Row' }, schemas)).toBe('object');
  });

  it('says what is legal', () => {
    expect(legalText({ enum: ['a', 'b', null] }, schemas)).toBe('a, b');
    expect(legalText({ minimum: 1, maximum: 1000 }, schemas)).toBe('1 to 1,000');
    expect(legalText({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }, schemas)).toBe('from 1');
    expect(legalText({ minLength: 1, maxLength: 200, pattern: 'x'.repeat(99) }, schemas)).toBe(
      '1 to 200 characters',
    );
    expect(legalText({ pattern: '^[A-Z]+$' }, schemas)).toBe('^[A-Z]+$');
  });

  it('lists its fields, with those of the objects in it', () => {
    expect(fieldsOf({ $ref: '#/components/schemas/Page' }, schemas)).toEqual([
      { name: 'data', type: 'array of object', legal: '', description: '', isRequired: true },
      {
        ...{ name: 'data[].Day', type: 'date or null', legal: '' },
        ...{ description: 'Trade date', isRequired: false },
      },
      { name: 'next', type: 'integer or null', legal: '', description: '', isRequired: false },
    ]);
  });

  it('has an example, also where it contains itself', () => {
    expect(exampleOf({ $ref: '#/components/schemas/Page' }, schemas)).toEqual({
      data: [{ Day: '2026-11-18' }],
      next: 1,
    });
    const endless = { Self: { properties: { self: { $ref: '#/components/schemas/Self' } } } };
    expect(JSON.stringify(exampleOf(endless.Self, endless)).length).toBeLessThan(200);
    expect(fieldsOf(endless.Self, endless).length).toBeLessThan(20);
  });
});

describe('the command of an operation', () => {
  it('sends the key only where one is needed, and the body as JSON', () => {
    expect(curlText(STATUS, 'https://h/v1', '')).toBe("curl \\\n  'https://h/v1/status'");
    expect(curlText(ROWS, 'https://h/v1', '')).toBe(
      [
        'curl',
        '--header "X-API-KEY: $TICKLAKE_KEY"',
        "'https://h/v1/data/us/{trade_date}/{identifier}'",
      ].join(' \\\n  '),
    );
    expect(curlText(PEOPLE, '', `{"a":"it's"}`)).toContain(
      `curl --request POST \\\n  --header "X-API-KEY: $TICKLAKE_KEY" \\\n  --header 'Content-Type: application/json' \\\n  --data '{"a":"it'\\''s"}'`,
    );
  });
});
