import { type ExplorerRequest, requestPath } from './explorer-request';

/** Writes the whole answer as CSV to the standard output, by Ticklake's own command. */
export function getSnippet(request: ExplorerRequest, base: string): string {
  const path = requestPath(request).slice('/data/'.length);
  return `# Writes all rows as CSV; --output rows.parquet or rows.arrows makes a file of that format.
ticklake get '${path}' --server '${base}'
`;
}

/**
 * Writes the whole answer as CSV to the standard output. Pages go through a file, because curl would
 * also write the body of a refusal that it retries. Seven retries, the first after a second and each
 * after twice as long, last two minutes: long enough for the minute's limit to clear.
 */
export function shellSnippet(url: string): string {
  return `# Writes all rows as CSV; needs curl 7.84 or later.
(
  url='${url}'
  page=$(mktemp)
  trap 'rm "$page"' EXIT
  while [ -n "$url" ]; do
    link=$(curl --silent --show-error --fail-with-body --retry 7 --output "$page" \\
      --write-out '%header{link}' --header "X-API-KEY: $TICKLAKE_KEY" "$url") ||
      { cat "$page" >&2; exit 1; }
    cat "$page"
    url=$(printf '%s' "$link" | sed -n 's/^<\\(.*\\)>; rel="next"$/\\1/p')
  done
)
`;
}
