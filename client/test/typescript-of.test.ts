import { expect, it } from 'vitest';
import { typescriptOf } from '../typescript-of.ts';

const text = { type: 'string' };
const nothing = { responses: { 200: { content: { 'application/json': { schema: text } } } } };

it('writes a type for each schema, and what each endpoint takes and answers', () => {
  const written = typescriptOf({
    components: {
      schemas: {
        Row: {
          type: 'object',
          properties: {
            state: { type: 'string', enum: ['on', 'off'], description: 'True if it runs' },
            end: { type: ['string', 'null'] },
            others: { type: 'array', items: { oneOf: [{ $ref: '#/schemas/Row' }, text] } },
            texts: { type: 'object', additionalProperties: text },
            'price.ge': text,
          },
          required: ['state', 'others', 'texts'],
        },
      },
    },
    paths: {
      '/rows/{id}': {
        get: {
          ...nothing,
          operationId: 'showRow',
          summary: 'One row',
          parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
        },
      },
    },
  });
  expect(written).toContain(`export interface Row {
  /** True if it runs. */
  readonly state: 'on' | 'off';
  readonly end?: string | null;
  readonly others: readonly (Row | string)[];
  readonly texts: Readonly<Record<string, string>>;
  readonly 'price.ge'?: string;
}
`);
  expect(written).toContain(`  /** One row. */
  readonly showRow: {
    readonly method: 'GET';
    readonly path: '/rows/{id}';
    readonly pathParameters: {
      readonly id: number;
    };
    readonly query: Readonly<Record<string, never>>;
    readonly body: null;
    readonly answer: string;
  };
`);
});
