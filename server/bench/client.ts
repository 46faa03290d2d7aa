/** An HTTP client that does no more than read every byte, over connections that stay open. */
import { Agent, get, type IncomingHttpHeaders } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly byteCount: number;
  /** Text of failures, and of answers that keep it. */
  readonly text: string;
}

/** A service: its URL with the version prefix, and a key. */
interface Served {
  readonly url: string;
  readonly key: string;
}

export class Client {
  readonly #service: Served;
  readonly #agent: Agent;

  /** `localAddress`: the address that it asks from; the system's choice unless given. */
  constructor(service: Served, localAddress?: string) {
    this.#service = service;
    this.#agent = new Agent({ keepAlive: true, localAddress });
  }

  /** Gets a path below the version prefix, whatever the status. Decodes text only if it is kept. */
  fetch(path: string, keepsText = false): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const options = { agent: this.#agent, headers: { 'X-API-KEY': this.#service.key } };
      get(`${this.#service.url}${path}`, options, (response) => {
        const { statusCode: status = 0, headers } = response;
        let byteCount = 0;
        let text = '';
        response.on('data', (chunk: Buffer) => {
          byteCount += chunk.length;
          if (keepsText || status !== 200) text += chunk.toString();
        });
        response.on('end', () => resolve({ status, headers, byteCount, text }));
        response.on('error', reject);
      }).on('error', reject);
    });
  }

  /** Like `fetch`, but rejects unless the answer is a 200. */
  async read(path: string, keepsText = false): Promise<Answer> {
    const answer = await this.fetch(path, keepsText);
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer;
  }

  /** Like `read`, as JSON. */
  async json(path: string): Promise<unknown> {
    const { text } = await this.read(path, true);
    return JSON.parse(text);
  }

  close(): void {
    this.#agent.destroy();
  }
}
