/**
 * Clients of the nodes. They keep every answer and know when one may be missing. Durations do not
 * matter: the machine may be busy.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { until } from '../until.ts';
import type { AccountName, Deployment } from './deployment.ts';

/** After that something hangs; on no machine, however busy, it is only slow. */
export const HANG_MS = 15 * 60_000;
const AWAY = 503;
const NOTHING = Buffer.alloc(0);
const LOST = { status: null, requestId: null, version: null, body: NOTHING };

export interface Answer {
  readonly account: AccountName;
  readonly path: string;
  readonly node: number;
  readonly sentAtMs: number;
  readonly answeredAtMs: number;
  /** Null: the connection was lost. */
  readonly status: number | null;
  readonly requestId: string | null;
  readonly version: string | null;
  readonly body: Buffer;
}

/** Parts of a request that differ from the default, a GET by the account's own key at any node. */
export interface Asked {
  readonly node: number;
  readonly key: string;
  /** Body of a POST. */
  readonly body: object;
}

/** Something is dead from one moment to another, and some nodes cannot help it. */
export interface Outage {
  readonly nodes: readonly number[];
  readonly fromMs: number;
  untilMs: number;
}

function isMissing({ status }: Answer): boolean {
  return status === null || status === AWAY;
}

export function isDone({ status }: Answer): boolean {
  return status !== null && status >= 200 && status < 300;
}

// biome-ignore lint/suspicious/noExplicitAny: answers of any endpoint
export function jsonOf({ body }: Answer): any {
  return JSON.parse(body.toString());
}

export class Clients {
  /** Without their bodies. */
  readonly answers: Answer[] = [];
  readonly outages: Outage[] = [];
  /** Problems found, each once. */
  readonly problems = new Set<string>();
  readonly #deployment: Deployment;
  #turn = 0;

  constructor(deployment: Deployment) {
    this.#deployment = deployment;
  }

  /**
   * Asks until there is an answer, but only once if that changes something or an outage may cut it.
   */
  async ask(account: AccountName, path: string, asked: Partial<Asked> = {}): Promise<Answer> {
    const hangsAtMs = Date.now() + HANG_MS;
    let answer = await this.#askOnce(account, path, asked);
    await until(async () => {
      if (!isMissing(answer) || asked.body || this.mayFail(answer)) return true;
      if (Date.now() > hangsAtMs) {
        const told = answer.status ?? 'no answer';
        this.problem(`${path} at node ${answer.node}: ${told}, though all was there`);
        return true;
      }
      answer = await this.#askOnce(account, path, asked);
      return false;
    });
    return answer;
  }

  async #askOnce(account: AccountName, path: string, asked: Partial<Asked>): Promise<Answer> {
    // The one after the other: what one node was told, the next one has to know.
    const { node = this.#turn++ % this.#deployment.nodes.length, body } = asked;
    const { key = this.#deployment.account(account).key } = asked;
    const sentAtMs = Date.now();
    const made = await this.#send(node, path, key, body);
    const answer = { account, path, node, sentAtMs, answeredAtMs: Date.now(), ...made };
    this.answers.push({ ...answer, body: NOTHING });
    // Lets a publisher's earlier output be read before this answer.
    await nextTurn();
    return answer;
  }

  /** True if the answer has the status `due`. Any other status than an outage's is a problem. */
  isDue(answer: Answer, path: string, due: number = 200): boolean {
    const { status, node, body } = answer;
    if (status === due) return true;
    if (status !== null && status !== AWAY) {
      this.problem(`${path} at node ${node}: ${status} instead of ${due}: ${body}`);
    }
    return false;
  }

  mayFail({ node, sentAtMs, answeredAtMs }: Answer): boolean {
    return this.outages.some(
      ({ nodes, fromMs, untilMs }) =>
        nodes.includes(node) && fromMs <= answeredAtMs && sentAtMs <= untilMs,
    );
  }

  problem(text: string): void {
    this.problems.add(text);
  }

  async #send(node: number, path: string, key: string, body: object | undefined) {
    const server = this.#deployment.nodes[node];
    if (!server) return LOST;
    try {
      const answer = await fetch(`${server.url}${path}`, {
        headers: { 'x-api-key': key, ...(body ? { 'content-type': 'application/json' } : {}) },
        ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
        signal: AbortSignal.timeout(HANG_MS),
      });
      const { status, headers } = answer;
      const [requestId, version] = [headers.get('x-request-id'), headers.get('x-dataset-version')];
      return { status, requestId, version, body: Buffer.from(await answer.arrayBuffer()) };
    } catch {
      return LOST;
    }
  }
}
