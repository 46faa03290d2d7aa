/**
 * Running requests and recently refused ones, in memory and bounded: the operator's view
 * of a running service. It keeps a request's line, never its headers.
 */
import type { Account } from '../store/accounts.ts';
import { shownTarget, withoutLongWords } from './shown.ts';

/** Every connection may have a running request, so only the oldest are shown. */
const RUNNING_SHOWN_MAX = 1000;
const REFUSALS_MAX = 200;
const TEXT_CHARACTERS_MAX = 2000;
/** Three for each shown character, which may be percent-encoded. */
const READ_CHARACTERS_MAX = 3 * TEXT_CHARACTERS_MAX;

export interface Refusal {
  readonly requestId: string;
  /** Milliseconds since 1970. */
  readonly atMs: number;
  /** Null where the caller is unknown. */
  readonly account: Pick<Account, 'accountId' | 'name'> | null;
  /** Null where it cannot be known. */
  readonly sourceAddress: string | null;
  readonly method: string;
  /** With its query. */
  readonly url: string;
  readonly status: number;
  readonly detail: string;
}

const WORD_CHARACTER = /[\w%-]/;

/** The beginning of a long text, without a cut last word: it may be a key. */
function beginningOf(text: string): string {
  if (text.length <= READ_CHARACTERS_MAX) return text;
  let end = READ_CHARACTERS_MAX;
  while (end > 0 && WORD_CHARACTER.test(text[end - 1] as string)) end--;
  return text.slice(0, end);
}

/** The beginning, as a text of its own: a part of a longer text keeps all of that in memory. */
function cut(text: string, charactersMax: number): string {
  return Buffer.from(text.slice(0, charactersMax)).toString();
}

/** A URL as it is shown: with its query, but no secret, and not longer than can be read. */
export function boardUrl(url: string, charactersMax = TEXT_CHARACTERS_MAX): string {
  return cut(shownTarget(beginningOf(url)), charactersMax);
}

/** Why a request was refused, in the same way. */
export function boardDetail(detail: string, charactersMax = TEXT_CHARACTERS_MAX): string {
  return cut(withoutLongWords(beginningOf(detail)), charactersMax);
}

/** `Running` is the view of a running request. */
export class RequestBoard<Running> {
  readonly #running = new Set<Running>();
  /** A ring: the next one is written at `#refusalCount`, modulo its greatest length. */
  readonly #refusals: Refusal[] = [];
  #refusalCount = 0;

  begin(running: Running): void {
    this.#running.add(running);
  }

  end(running: Running): void {
    this.#running.delete(running);
  }

  /** Keeps no secret, and no more than can be read. */
  refuse(refusal: Refusal): void {
    this.#refusals[this.#refusalCount % REFUSALS_MAX] = {
      ...refusal,
      url: boardUrl(refusal.url),
      detail: boardDetail(refusal.detail),
    };
    this.#refusalCount++;
  }

  /** The oldest running requests, in order of arrival. */
  running(): Running[] {
    return [...this.#running.values().take(RUNNING_SHOWN_MAX)];
  }

  /** The newest first. */
  refusals(): Refusal[] {
    const next = this.#refusalCount % REFUSALS_MAX;
    return [...this.#refusals.slice(next), ...this.#refusals.slice(0, next)].reverse();
  }
}
