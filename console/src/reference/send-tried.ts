/** Sends a request of the reference, as the person who is signed in or with a key, and shows any answer. */
import { apiUrl, clientState } from '../api/client';
import { indentedJson } from './indented-json';
import type { Operation } from './openapi';
import { type TriedValues, triedHeaders, triedPath } from './tried-request';

/** A longer body is cut where it is shown. */
const SHOWN_LENGTH_MAX = 50_000;
const TEXT_TYPE = /^(text\/|application\/(json|x-ndjson|jwk-set\+json))/;

export interface TriedAnswer {
  readonly status: number;
  readonly elapsedMs: number;
  readonly byteCount: number;
  readonly headers: readonly (readonly [string, string])[];
  /** Null: it is no text. */
  readonly text: string | null;
  readonly isCut: boolean;
}

async function readAnswer(response: Response, startedAtMs: number): Promise<TriedAnswer> {
  const bytes = await response.arrayBuffer();
  const type = response.headers.get('content-type') ?? '';
  const isText = bytes.byteLength === 0 || TEXT_TYPE.test(type);
  const text = isText ? new TextDecoder().decode(bytes) : null;
  const shown = text !== null && type.includes('json') ? indentedJson(text) : text;
  return {
    status: response.status,
    elapsedMs: performance.now() - startedAtMs,
    byteCount: bytes.byteLength,
    headers: [...response.headers],
    text: shown?.slice(0, SHOWN_LENGTH_MAX) ?? null,
    isCut: (shown?.length ?? 0) > SHOWN_LENGTH_MAX,
  };
}

/** `key` null: as the person who is signed in. */
export async function sendTried(
  operation: Operation,
  values: TriedValues,
  key: string | null,
): Promise<TriedAnswer> {
  const { method, body } = operation;
  const headers: Record<string, string> = triedHeaders(operation, values);
  if (key) headers['X-API-KEY'] = key;
  else if (method !== 'GET' && clientState.csrfToken !== null) {
    headers['X-CSRF-Token'] = clientState.csrfToken;
  }
  if (body) headers['Content-Type'] = body.contentType;
  const startedAtMs = performance.now();
  const response = await fetch(apiUrl(triedPath(operation, values)), {
    method,
    headers,
    credentials: key === null ? 'same-origin' : 'omit',
    ...(body && { body: values.body.trim() || '{}' }),
  });
  return readAnswer(response, startedAtMs);
}
