/** Reads the contract, and tries a server against it. */
import { CHECKS } from './checks.ts';
import { CONTRACT } from './contract.ts';
import { PATHS } from './market.ts';
import { expectPage } from './pages.ts';
import {
  askJson,
  Deviation,
  expectFields,
  expectRefusal,
  restrictedKeyOf,
  type Server,
  Skipped,
} from './server.ts';

export interface Guarantee {
  /** Group and name, such as `paging.walk`. */
  readonly id: string;
  /** Page and heading of the documentation. */
  readonly clause: string;
  readonly says: string;
  /** Lines of requests. */
  readonly requests: readonly string[];
}

export const GUARANTEES: readonly Guarantee[] = CONTRACT.trim()
  .split(/\n+(?! )/)
  .map((text) => {
    const [head = '', ...requests] = text.split(/\n */);
    const [id = '', clause = '', says = ''] = head.split(' | ');
    return { id, clause, says, requests };
  });

const KEYS: Readonly<Record<string, (server: Server) => string | null>> = {
  nokey: () => null,
  badkey: () => 'conformance-kit-key-of-no-account-0',
  restricted: restrictedKeyOf,
};
const REQUEST =
  /^(?:(?<status>\d{3}) )?(?:(?<who>nokey|badkey|restricted) )?(?<path>\S+) ?(?<verb>~|has)? ?(?<rest>.*)$/;
const pathOf = (text: string) => text.replace(/^[A-Z]+/, (name) => PATHS[name] ?? name);

/** One line of the contract. */
async function tryRequest(server: Server, line: string): Promise<void> {
  const { status, who = '', verb, rest = '', ...found } = REQUEST.exec(line)?.groups ?? {};
  const path = pathOf(found.path ?? '');
  const key = KEYS[who]?.(server) ?? (who ? null : server.key);
  if (status) return expectRefusal(await server.ask(path, { key }), Number(status), rest);
  if (verb !== 'has') return expectPage(server, path, pathOf(rest) || path, key);
  const [answer, body] = await askJson(server, path, { key });
  for (const entry of [body].flat()) expectFields(answer, entry, rest);
}

export interface Result extends Omit<Guarantee, 'requests'> {
  readonly state: 'passed' | 'failed' | 'skipped';
  /** A failed request, without its key. */
  readonly asked?: string;
  readonly expected?: string;
  readonly came?: string;
  /** Why it was skipped. */
  readonly reason?: string;
}

/** Finds a key whose characters may be escaped as in JSON or in a URL. */
const patternOf = (key: string) => {
  const escaped = key.replaceAll(/./gs, (character) => {
    const code = character.charCodeAt(0).toString(16).padStart(4, '0');
    return `\\\\?(?:\\u${code}|u${code}|%${code.slice(2)})`;
  });
  return new RegExp(escaped, 'gi');
};

const SHOWN_LENGTH = 300;

/** Without the keys, which a server may have sent back. A cut before could leave a part of one. */
function shown({ key, restrictedKey }: Server, text: string): string {
  const names = { [restrictedKey ?? key]: '(restricted key)', [key]: '(key)' };
  const clean = Object.entries(names)
    // The longer first, because it may begin with the other.
    .sort(([one], [other]) => other.length - one.length)
    .reduce((rest, [each, name]) => rest.replace(patternOf(each), name), text);
  return clean.length > SHOWN_LENGTH ? `${clean.slice(0, SHOWN_LENGTH)}…` : clean;
}

export async function tryGuarantee(server: Server, guarantee: Guarantee): Promise<Result> {
  const { requests, ...named } = guarantee;
  try {
    for (const line of requests) await tryRequest(server, line);
    await CHECKS[named.id]?.(server);
    return { ...named, state: 'passed' };
  } catch (error) {
    if (error instanceof Skipped) return { ...named, state: 'skipped', reason: error.message };
    // Answers may be so unlike the contract that a check stumbles over them.
    const stumbled = () => new Deviation(server.lastAsked(), 'the documented form', `${error}`);
    const { found } = error instanceof Deviation ? error : stumbled();
    return {
      ...{ ...named, state: 'failed' },
      asked: shown(server, found.asked),
      expected: shown(server, found.expected),
      came: shown(server, found.came),
    };
  }
}
