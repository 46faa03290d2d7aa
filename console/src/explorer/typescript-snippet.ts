import type { DataType } from '@ticklake/client';
import { literal, RATE_LIMIT_WAIT_SECONDS, type SnippetRows, TRIES_MAX } from './snippet-rows';

/**
 * The request as a program for Node. An integer that a double cannot hold becomes a bigint, made from
 * the text of the answer. Times and decimals stay text: no type of the language holds them.
 */
export function typescriptSnippet({ url, columns }: SnippetRows): string {
  const namesOf = (dataType: DataType) =>
    columns
      .filter(({ data_type }) => data_type === dataType)
      .map(({ name }) => literal(name))
      .join(', ');
  const decimals = namesOf('decimal');
  return `type Value = string | number | bigint | boolean | string[] | number[] | null;
type Row = Record<string, Value>;

const INTEGERS = new Set<string>([${namesOf('integer')}]);${
    decimals &&
    `
const DECIMALS = new Set<string>([${decimals}]);`
  }

/** Keeps integers exact: those that a number cannot hold become a bigint. */
function exactValue(name: string, value: unknown, context?: { source?: string }): unknown {${
    decimals &&
    `
  if (DECIMALS.has(name) && value !== null) return context?.source;`
  }
  const isInexact = INTEGERS.has(name) && value !== null && !Number.isSafeInteger(value);
  return isInexact ? BigInt(context?.source ?? "") : value;
}

const wait = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

async function readPage(url: string): Promise<Response> {
  for (let attempt = 0; ; attempt++) {
    const response = await fetch(url, {
      headers: { "X-API-KEY": process.env.TICKLAKE_KEY ?? "" },
    });
    if (response.ok) return response;
    const message = await response.text();
    const isMinute = response.status === 429 && !message.includes("Monthly");
    if (attempt === ${TRIES_MAX - 1} || !(isMinute || response.status >= 500)) {
      throw new Error(\`\${response.status}: \${message}\`);
    }
    await wait(isMinute ? Number(response.headers.get("Retry-After") ?? ${RATE_LIMIT_WAIT_SECONDS}) : 2 ** attempt);
  }
}

const rows: Row[] = [];
let url: string | undefined = ${literal(url)};
while (url) {
  const page = await readPage(url);
  const { data } = JSON.parse(await page.text(), exactValue) as { data: Row[] };
  rows.push(...data);
  url = page.headers.get("Link")?.match(/^<(.*)>; rel="next"$/)?.[1];
}
console.log(\`\${rows.length} rows\`);
`;
}
