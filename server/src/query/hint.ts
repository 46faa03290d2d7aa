/** The header that says what a request without rows may have meant, or what its rows lack. */
import { ApiError } from '../base/errors.ts';
import type { Dataset } from '../catalog/dataset.ts';
import type { DatasetSnapshot } from '../lake/snapshots.ts';
import {
  type Alternative,
  dateHint,
  type Hint,
  listHint,
  otherIdentifiers,
  otherVariant,
  sessionsHint,
  windowHint,
} from '../plan/hints.ts';
import { planQuestion, questionOf } from '../plan/plan-query.ts';
import { variantParameters } from '../request/segment-parameters.ts';
import { today } from '../time/market-time.ts';
import { besidesRows } from './missing-identifiers.ts';
import { askedSnapshot, type PlannedRequest } from './plan-request.ts';
import type { Reader } from './reader.ts';
import { gapHint } from './rolls.ts';

/** Bytes that looking for a hint may scan at each alternative. */
const SCANNED_BYTES_MAX = 32 * 1024 * 1024;
/** An answer waits no longer for its hint, turns of the engine included. */
const TIMEOUT_MS = 1000;

/** An alternative, and the dataset that may have rows for it. */
interface Guess {
  readonly alternative: Alternative;
  readonly snapshot: DatasetSnapshot;
}

/**
 * The request's question to another variant of its segment; null where it is refused there. A
 * number of a version says nothing of another dataset.
 */
async function guessVariant(
  { services }: Reader,
  { accountId, request }: PlannedRequest,
  dataset: Dataset,
): Promise<Guess | null> {
  const { store, lake, clock, config } = services;
  const rules = store.replica.rulesOfDataset(accountId, dataset.datasetId);
  const day = today(dataset.timeZone, clock.now());
  const anyRow = { ...request, columns: null, sort: [] };
  try {
    const snapshot = await askedSnapshot(lake, dataset, request.version);
    if (rules.length === 0 || !snapshot) return null;
    const question = questionOf({ request: anyRow, dataset, snapshot, rules, today: day });
    const parameters = variantParameters(dataset, config);
    return { alternative: otherVariant(question, parameters), snapshot };
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

async function* guesses(reader: Reader, planned: PlannedRequest): AsyncGenerator<Guess> {
  const { catalog, lake } = reader.services;
  const { request, plan } = planned;
  const { dataset, restatement } = plan;
  const { datasetId } = restatement?.adjusted ?? dataset;
  const snapshot = await askedSnapshot(lake, dataset, request.version);
  for (const alternative of snapshot ? otherIdentifiers(plan) : []) {
    if (snapshot) yield { alternative, snapshot };
  }
  if (request.version && 'version' in request.version) return;
  // Rows of another variant may lie in other sessions.
  if (plan.session) return;
  for (const variant of catalog.bySegment(dataset.group, dataset.segment)) {
    if (variant.datasetId === datasetId || variant.pathShape !== dataset.pathShape) continue;
    const guess = await guessVariant(reader, planned, variant);
    if (guess) yield guess;
  }
}

/** The value of the guess's first row in its column; null if it has no rows. */
async function firstFound(
  { services }: Reader,
  accountId: number,
  { alternative, snapshot }: Guess,
  signal: AbortSignal,
): Promise<string[] | null> {
  const plan = await planQuestion(alternative.question, snapshot);
  if (plan.parts.length === 0 || plan.scannedBytes > SCANNED_BYTES_MAX) return null;
  return await services.gate.run(accountId, signal, async () => {
    for await (const { rowCount, columns } of services.engine.scan(plan, signal)) {
      if (rowCount > 0) return [columns[0]?.values[0]].flat().map(String);
    }
    return null;
  });
}

async function firstHint(reader: Reader, planned: PlannedRequest): Promise<Hint | null> {
  const { plan, request, rules } = planned;
  const told = listHint(plan) ?? gapHint(plan);
  if (told !== null) return told;
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  for await (const guess of guesses(reader, planned)) {
    const found = await firstFound(reader, planned.accountId, guess, signal);
    if (found !== null) return guess.alternative.hintOf(found);
  }
  const snapshot = await askedSnapshot(reader.services.lake, plan.dataset, request.version);
  return snapshot && (dateHint(plan, snapshot, rules) ?? windowHint(plan, snapshot, rules));
}

/**
 * The hint of a request; null where nothing is known. Without any rows it is looked for within the
 * account's rules and counts into no quota. An answer is never refused for its hint.
 */
export async function findHint(
  reader: Reader,
  planned: PlannedRequest,
  hasRows: boolean,
): Promise<Hint | null> {
  if (planned.request.offset > 0) return null;
  if (hasRows) return sessionsHint(planned.plan);
  const hint = await besidesRows(reader, 'hint', firstHint(reader, planned));
  return hint !== null && isHeaderText(hint.text) ? hint : null;
}

export function isHeaderText(text: string): boolean {
  return /^[ -~]{1,500}$/.test(text);
}

/** The text for people, and for programs its code, with the identifier that may have been meant. */
export function hintHeaders({ code, name, text }: Hint): Record<string, string> {
  const named = name === undefined ? code : `${code} ${encodeURIComponent(name)}`;
  return { 'X-Hint': text, 'X-Hint-Code': named };
}
