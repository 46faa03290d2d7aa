/** The OpenAPI documents as they are sent, and the one of rows alone. */
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestService } from '../harness.ts';
import { openContractService } from './fixture.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

interface Document {
  readonly paths: Readonly<
    Record<
      string,
      {
        get: {
          parameters: readonly { name?: string; $ref?: string }[];
          responses: { 200: { content: { 'application/json': { schema: Schema } } } };
        };
      }
    >
  >;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

let service: TestService;
let url: string;
beforeAll(async () => {
  service = await openContractService();
  url = await service.app.listen({ port: 0, host: '127.0.0.1' });
});
afterAll(() => service.close());

async function documentAt(path: string): Promise<{ text: string; document: Document }> {
  const answer = await fetch(`${url}${path}`);
  expect(answer.status).toBe(200);
  const text = await answer.text();
  return { text, document: JSON.parse(text) };
}

describe.each(['/v1/openapi.json', '/api/v1/openapi-data.json'])('%s', (path) => {
  it('is compressed for clients that take it, and known by its tag', async () => {
    const plain = await service.app.inject({ url: path });
    const headers = { 'accept-encoding': 'br, gzip' };
    const packed = await service.app.inject({ url: path, headers });
    const gzip = { 'accept-encoding': 'gzip' };
    const zipped = await service.app.inject({ url: path, headers: gzip });
    const encodings = [plain, packed, zipped].map((answer) => answer.headers['content-encoding']);
    expect(encodings).toEqual([undefined, 'br', 'gzip']);
    expect(packed.headers.vary).toBe('Origin, accept-encoding');
    expect(brotliDecompressSync(packed.rawPayload).equals(plain.rawPayload)).toBe(true);
    expect(gunzipSync(zipped.rawPayload).equals(plain.rawPayload)).toBe(true);
    expect(packed.rawPayload.length).toBeLessThan(plain.rawPayload.length / 5);
    const tag = String(packed.headers.etag);
    expect(tag).not.toBe(plain.headers.etag);
    const held = await service.app.inject({
      url: path,
      headers: { ...headers, 'if-none-match': tag },
    });
    expect(held.statusCode).toBe(304);
  });
});

/** Columns with their types, of each dataset behind a path of rows. */
function columnsAt({ paths, components }: Document, path: string) {
  const resolved = (schema: Schema): Schema => {
    const known = components.schemas?.[schema.$ref?.split('/').at(-1) ?? ''];
    return known ? resolved(known as Schema) : schema;
  };
  const { schema } = paths[path]?.get.responses[200].content['application/json'] ?? { schema: {} };
  return (schema.anyOf ?? [schema]).map((each) => {
    const cells = resolved(each).properties?.data?.items?.properties ?? {};
    return Object.entries(cells).map(([name, { type }]) => [name, type]);
  });
}

function parametersAt({ paths }: Document, path: string) {
  const names = paths[path]?.get.parameters.map(
    ({ name, $ref }) => name ?? $ref?.split('/').at(-1),
  );
  return names?.filter((name) => !/^(If|Want|Prefer)/.test(`${name}`));
}

describe('the document of rows alone', () => {
  it('is below 100 kB with all datasets, and refers to nothing that it lacks', async () => {
    const { text, document } = await documentAt('/v1/openapi-data.json');
    expect(Buffer.byteLength(text)).toBeLessThan(100_000);
    const references = [...text.matchAll(/"#\/components\/(\w+)\/(\w+)"/g)];
    expect(references.length).toBeGreaterThan(100);
    for (const [reference, kind = '', name = ''] of references) {
      expect(document.components[kind]?.[name], reference).toBeDefined();
    }
  });

  it('has every path of rows with its parameters and columns', async () => {
    const { document: whole } = await documentAt('/v1/openapi.json');
    const { document: small } = await documentAt('/v1/openapi-data.json');
    const pathsOfRows = Object.keys(whole.paths).filter((path) => /^\/data\/us-/.test(path));
    expect(Object.keys(small.paths)).toContain('/data/{group}/{segment}/aggregate');
    expect(pathsOfRows.length).toBeGreaterThan(30);
    for (const path of pathsOfRows) {
      expect(columnsAt(small, path).flat().length, path).toBeGreaterThan(1);
      expect(columnsAt(small, path), path).toEqual(columnsAt(whole, path));
      expect(parametersAt(small, path), path).toEqual(parametersAt(whole, path));
    }
  });
});
