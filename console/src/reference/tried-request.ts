/** A request as the form of an operation describes it: its address, and how a shell sends it. */
import type { Operation } from './openapi';

export interface TriedValues {
  /** By `in` and name, such as `query limit`. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Further parameters of the query, as they stand in an address: `Ticker=AVQX`. */
  readonly further: string;
  /** JSON; '' without a body. */
  readonly body: string;
}

const OPEN_QUERIES = ['/data/', '/data-scan/', '/bulk/'];

/** Whether columns are parameters, too, so that a form cannot name them all. */
export function takesFilters({ path }: Operation): boolean {
  return OPEN_QUERIES.some((start) => path.startsWith(start));
}

export function parameterKey(parameter: { readonly in: string; readonly name: string }): string {
  return `${parameter.in} ${parameter.name}`;
}

/** The path parameters that have no value. */
export function missingParameters(
  { parameters }: Operation,
  values: TriedValues,
): readonly string[] {
  return parameters
    .filter((each) => each.in === 'path' && !values.parameters[parameterKey(each)])
    .map(({ name }) => name);
}

/** Path and query below the version prefix; parameters without a value stay as `{name}`. */
export function triedPath({ path, parameters }: Operation, values: TriedValues): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (place, name) => {
    const value = values.parameters[parameterKey({ in: 'path', name })] ?? '';
    return value === '' ? place : encodeURIComponent(value);
  });
  const query = parameters
    .filter((each) => each.in === 'query' && values.parameters[parameterKey(each)])
    .map(({ name }) => {
      const value = values.parameters[parameterKey({ in: 'query', name })] ?? '';
      return `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
    });
  const further = values.further.trim().replace(/^[?&]/, '');
  const all = [...(further === '' ? [] : [further]), ...query].join('&');
  return all === '' ? filled : `${filled}?${all}`;
}

/** The headers that have a value. */
export function triedHeaders({ parameters }: Operation, values: TriedValues) {
  const given = parameters.filter(
    (each) => each.in === 'header' && values.parameters[parameterKey(each)],
  );
  return Object.fromEntries(
    given.map((each) => [each.name, values.parameters[parameterKey(each)] ?? '']),
  );
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The same for a shell, with the key in the environment. `base` is `https://host/v1`. */
export function curlText(operation: Operation, values: TriedValues, base: string): string {
  const lines = [operation.method === 'GET' ? 'curl' : `curl --request ${operation.method}`];
  if (operation.method === 'HEAD') lines[0] = 'curl --head';
  if (operation.credentials.includes('apiKey')) lines.push('--header "X-API-KEY: $TICKLAKE_KEY"');
  for (const [name, value] of Object.entries(triedHeaders(operation, values))) {
    lines.push(`--header ${quoted(`${name}: ${value}`)}`);
  }
  if (operation.body && values.body.trim() !== '') {
    lines.push(`--header ${quoted(`Content-Type: ${operation.body.contentType}`)}`);
    lines.push(`--data ${quoted(values.body.trim())}`);
  }
  lines.push(quoted(base + triedPath(operation, values)));
  return lines.join(' \\\n  ');
}
