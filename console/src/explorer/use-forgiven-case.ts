/** Identifiers that have rows in upper case alone, as the service hints where there are no rows. */
import { skipToken, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { getResponse } from '../api/client';
import { useStore } from '../api/store';
import { type DatasetShape, identifierColumns } from './dataset-shape';
import type { ExplorerQuery } from './explorer-query';
import { requestOf, requestPath } from './explorer-request';
import type { Run } from './row-store';
import type { ExplorerQueryState } from './use-explorer-query';

function namesIn(identifier: string): string[] {
  return identifier.split(',').map((text) => text.trim());
}

/** Names of a list in lower case. Others may have rows, so its answer tells nothing of these. */
export function doubtfulNames(identifier: string): readonly string[] {
  const names = namesIn(identifier);
  if (names.length < 2) return [];
  return [...new Set(names)].filter((name) => name !== name.toUpperCase());
}

/** The name that is meant, by the code of the hint for it alone: itself, or in upper case. */
export function meantName(name: string, hintCode: string | null): string {
  const [, meant = ''] = hintCode?.split(' ') ?? [];
  const upper = name.toUpperCase();
  return decodeURIComponent(meant) === upper ? upper : name;
}

/** An identifier, or a list, with names written as they are meant; null: as it stands. */
export function identifierMeant(
  identifier: string,
  meant: ReadonlyMap<string, string>,
): string | null {
  const names = namesIn(identifier);
  const written = names.map((name) => meant.get(name) ?? name);
  return written.some((name, index) => name !== names[index]) ? written.join(', ') : null;
}

/** Each counts as a request. */
const ASKED_MAX = 10;
const NONE: ReadonlyMap<string, string> = new Map();

/** The code of the service's hint for one identifier alone; null where that has rows. */
async function hintOf(
  query: ExplorerQuery,
  shape: DatasetShape,
  identifier: string,
  signal: AbortSignal,
): Promise<string | null> {
  const request = requestOf({ ...query, identifier, sort: [] }, shape);
  const response = await getResponse(requestPath(request, { limit: 1 }), signal);
  return response.headers.get('X-Hint-Code');
}

/** Asked for one after the other, since accounts may ask for few things at once. */
async function readMeant(
  query: ExplorerQuery,
  shape: DatasetShape,
  names: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const meant = new Map<string, string>();
  for (const name of names)
    meant.set(name, meantName(name, await hintOf(query, shape, name, signal)));
  return meant;
}

/** Asks once more, in upper case, for identifiers that have rows in that alone. */
export function useForgivenCase(run: Run | null, state: ExplorerQueryState, path: string): void {
  const { query, edit, isRun } = state;
  const rows = useStore(run?.store ?? null);
  const shape = isRun && run?.path === path && rows?.columns ? run.shape : null;
  const names =
    shape !== null && identifierColumns(shape) !== null
      ? doubtfulNames(query.identifier).slice(0, ASKED_MAX)
      : [];
  const { data: ofList = NONE } = useQuery({
    queryKey: ['forgiven-case', path, names],
    queryFn:
      shape === null || names.length === 0
        ? skipToken
        : ({ signal }) => readMeant(query, shape, names, signal),
    retry: false,
  });
  const typed = query.identifier.trim();
  const alone = new Map([[typed, meantName(typed, rows?.hintCode ?? null)]]);
  const meant =
    shape === null
      ? null
      : (identifierMeant(query.identifier, ofList) ?? identifierMeant(query.identifier, alone));
  useEffect(() => {
    if (meant !== null) edit({ identifier: meant }, true);
    // Once for an answer.
  }, [meant]);
}
