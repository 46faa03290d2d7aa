/** What engines give a reviver of JSON, which TypeScript does not know yet. */
type Reviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown;

interface RawJson {
  parse(text: string, reviver: Reviver): unknown;
  rawJSON?(text: string): unknown;
}

const { parse, rawJSON }: RawJson = JSON as unknown as RawJson;

/** JSON in lines, its numbers as they stand: JavaScript cannot hold all of them. Other texts stay as they are. */
export function indentedJson(text: string): string {
  if (rawJSON === undefined) return text;
  try {
    const value = parse(text, (_key, each, context) =>
      typeof each === 'number' && context?.source !== undefined ? rawJSON(context.source) : each,
    );
    return JSON.stringify(value, null, 2);
  } catch {
    return text;
  }
}
