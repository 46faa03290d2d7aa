import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { jsonSchemaOf } from './json-schema.ts';

describe('the JSON Schema of what may be null', () => {
  it('is one type of two', () => {
    expect(jsonSchemaOf(v.nullable(v.string()))).toEqual({ type: ['string', 'null'] });
  });

  it('lets null pass beside the legal values of a choice', () => {
    expect(jsonSchemaOf(v.nullable(v.picklist(['a', 'b'])))).toEqual({
      oneOf: [{ type: 'string', enum: ['a', 'b'] }, { type: 'null' }],
    });
  });
});
