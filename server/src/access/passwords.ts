/**
 * Passwords: argon2id of node:crypto, in the runtime's threads, few at a time. A hash is kept as a
 * text that names its parameters, so that later ones can differ.
 */
import {
  type Argon2Parameters,
  argon2,
  randomBytes,
  randomInt,
  timingSafeEqual,
} from 'node:crypto';
import { promisify } from 'node:util';
import { fairTurns, type Turn } from './fair-turns.ts';

/** The cost of checking a password. Only tests choose another one than servers have. */
export interface PasswordCost {
  readonly memoryKibibytes: number;
  readonly passes: number;
}

const COST: PasswordCost = { memoryKibibytes: 19_456, passes: 2 };
const LANES = 1;
const SALT_BYTES = 16;
const TAG_BYTES = 32;

/** Hashes that run at once. Each takes one of the runtime's four threads, and memory. */
const RUNNING_MAX = 2;
const WAITING_MAX = 64;

/** Turns for the program itself and for people who are signed in. */
const OWN_TURN: Turn = { source: 'own', isKnown: true };

const GENERATED_CHARACTERS = 20;
/** Letters and digits except those that look alike. */
const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789';

const HASH = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/;

const derive = promisify(argon2);

type DeriveTag = (parameters: Argon2Parameters) => Promise<Buffer>;

/** The work itself, in the runtime's threads. */
export const argon2id: DeriveTag = (parameters) => derive('argon2id', parameters);

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}

function hashText({ memory, passes, parallelism }: Argon2Parameters, salt: Buffer, tag: Buffer) {
  const parameters = `m=${memory},t=${passes},p=${parallelism}`;
  return `$argon2id$v=19$${parameters}$${base64(salt)}$${base64(tag)}`;
}

/** Normalized, so that a password matches however it was typed. */
function messageOf(password: string): string {
  return password.normalize('NFC');
}

function parametersOf(password: string, salt: Buffer, cost: PasswordCost): Argon2Parameters {
  return {
    message: messageOf(password),
    nonce: salt,
    memory: cost.memoryKibibytes,
    passes: cost.passes,
    parallelism: LANES,
    tagLength: TAG_BYTES,
  };
}

/** A password that nobody can guess, of letters and digits: about 116 random bits. */
export function generatePassword(): string {
  return Array.from(
    { length: GENERATED_CHARACTERS },
    () => ALPHABET[randomInt(ALPHABET.length)],
  ).join('');
}

export class Passwords {
  readonly #cost: PasswordCost;
  readonly #deriveTag: DeriveTag;
  /** A hash of no password: comparing with it takes as long as with any other, and always fails. */
  readonly #nobody: string;
  readonly #turns = fairTurns(RUNNING_MAX, WAITING_MAX);

  constructor(cost = COST, deriveTag = argon2id) {
    this.#cost = cost;
    this.#deriveTag = deriveTag;
    this.#nobody = hashText(
      parametersOf('', Buffer.alloc(0), cost),
      randomBytes(SALT_BYTES),
      randomBytes(TAG_BYTES),
    );
  }

  /** The form in which a password is kept. Throws an ApiError 'unavailable' when too many wait. */
  async hash(password: string): Promise<string> {
    const salt = randomBytes(SALT_BYTES);
    const parameters = parametersOf(password, salt, this.#cost);
    return hashText(parameters, salt, await this.#derive(parameters, OWN_TURN));
  }

  /**
   * True if a password belongs to a hash. For an unknown person, whose `hash` is null, the answer
   * takes as long and is always no. Throws an ApiError 'unavailable' when too many wait. `turn`
   * says whose turn the work takes.
   */
  async isRight(password: string, hash: string | null, turn = OWN_TURN): Promise<boolean> {
    const [, memory, passes, parallelism, salt = '', tagText = ''] =
      HASH.exec(hash ?? this.#nobody) ?? [];
    const tag = Buffer.from(tagText, 'base64');
    if (tag.length === 0) throw new Error('a password hash is not readable');
    const parameters = {
      message: messageOf(password),
      nonce: Buffer.from(salt, 'base64'),
      memory: Number(memory),
      passes: Number(passes),
      parallelism: Number(parallelism),
      tagLength: tag.length,
    };
    const derived = await this.#derive(parameters, turn);
    return timingSafeEqual(derived, tag) && hash !== null;
  }

  async #derive(parameters: Argon2Parameters, turn: Turn): Promise<Buffer> {
    return this.#turns.run(turn, () => this.#deriveTag(parameters));
  }
}
