/** An operator who grants, revokes and creates keys: each confirmed change holds on every node. */
import type { Random } from '@ticklake/demo/random.ts';
import { type Clients, isDone, jsonOf } from './clients.ts';
import type { Deployment } from './deployment.ts';

const ROWS_PATH = '/v1/data/us-equity/eq-daily-ohlc?period=20Y';
const OWN_PATH = '/v1/account/my';
const KEY_CHANCE = 0.2;

export class Changing {
  readonly #clients: Clients;
  readonly #deployment: Deployment;
  readonly #random: Random;
  /** Id of the account's rule under change; null: none; undefined: an answer was lost. */
  #ruleId: number | null | undefined = null;
  /** Keys made in the last round. */
  #keys: string[] = [];

  constructor(clients: Clients, deployment: Deployment, random: Random) {
    this.#clients = clients;
    this.#deployment = deployment;
    this.#random = random;
  }

  async change(): Promise<void> {
    const ruleId = this.#ruleId;
    if (ruleId === undefined) await this.#lookUp();
    else if (ruleId === null) await this.#grant();
    else await this.#revoke(ruleId);
    await this.checkRule();
    if (this.#random.chance(KEY_CHANCE)) await this.#makeKey();
  }

  async checkRule(): Promise<void> {
    const ruleId = this.#ruleId;
    if (ruleId === undefined) return;
    for (const node of this.#deployment.nodes.keys()) {
      const answer = await this.#clients.ask('changed', ROWS_PATH, { node });
      this.#clients.isDue(answer, `rule ${ruleId}`, ruleId === null ? 403 : 200);
    }
  }

  async checkKeys(): Promise<void> {
    for (const key of this.#keys.splice(0)) {
      for (const node of this.#deployment.nodes.keys()) {
        const answer = await this.#clients.ask('reader', OWN_PATH, { node, key });
        this.#clients.isDue(answer, 'a key that was made');
      }
    }
  }

  get #rulesPath(): string {
    return `/v1/identities/${this.#deployment.account('changed').accountId}/data-access-rules`;
  }

  async #grant(): Promise<void> {
    const body = { dataset_id: 'US1020' };
    const answer = await this.#clients.ask('operator', this.#rulesPath, { body });
    this.#ruleId = isDone(answer) ? (jsonOf(answer).rule_id as number) : undefined;
  }

  async #revoke(ruleId: number): Promise<void> {
    const path = `/v1/data-access-rules/${ruleId}/delete`;
    const answer = await this.#clients.ask('operator', path, { body: {} });
    this.#ruleId = isDone(answer) ? null : undefined;
  }

  async #lookUp(): Promise<void> {
    const answer = await this.#clients.ask('operator', this.#rulesPath);
    if (!this.#clients.isDue(answer, this.#rulesPath)) return;
    const [rule] = jsonOf(answer) as { rule_id: number }[];
    this.#ruleId = rule?.rule_id ?? null;
  }

  async #makeKey(): Promise<void> {
    const path = `/v1/identities/${this.#deployment.account('reader').accountId}/api-keys`;
    const body = { name: 'one more', expires_in: '1d' };
    const answer = await this.#clients.ask('operator', path, { body });
    if (isDone(answer)) this.#keys.push(jsonOf(answer).api_key as string);
  }
}
