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
import { ApiError } from '../errors.ts';

const MEMORY_KIBIBYTES = 19_456;
const PASSES = 2;
const LANES = 1;
const SALT_BYTES = 16;
const TAG_BYTES = 32;

/** So many of the runtime's threads, of which there are four, and so much memory at once. */
const RUNNING_MAX = 2;
const WAITING_MAX = 64;

const GENERATED_CHARACTERS = 20;
/** Without those that are easily taken for each other. */
const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789';

const HASH = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/;

const derive = promisify(argon2);

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}

function hashText({ memory, passes, parallelism }: Argon2Parameters, salt: Buffer, tag: Buffer) {
  const parameters = `m=${memory},t=${passes},p=${parallelism}`;
  return `$argon2id$v=19$${parameters}$${base64(salt)}$${base64(tag)}`;
}

/** One text has one form, however it was typed. */
function messageOf(password: string): string {
  return password.normalize('NFC');
}

function parametersOf(password: string, salt: Buffer): Argon2Parameters {
  return {
    message: messageOf(password),
    nonce: salt,
    memory: MEMORY_KIBIBYTES,
    passes: PASSES,
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
  /** Of no password: comparing with it takes as long as with any other and is never right. */
  readonly #nobody = hashText(
    parametersOf('', Buffer.alloc(0)),
    randomBytes(SALT_BYTES),
    randomBytes(TAG_BYTES),
  );
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** The form in which a password is kept. Throws an ApiError 503 when too many wait. */
  async hash(password: string): Promise<string> {
    const salt = randomBytes(SALT_BYTES);
    const parameters = parametersOf(password, salt);
    return hashText(parameters, salt, await this.#derive(parameters));
  }

  /**
   * Whether a password is the one of a hash; `hash` null, of somebody unknown, takes as long and is
   * never right. Throws an ApiError 503 when too many wait.
   */
  async isRight(password: string, hash: string | null): Promise<boolean> {
    const [, memory, passes, parallelism, salt = '', tagText = ''] =
      HASH.exec(hash ?? this.#nobody) ?? [];
    const tag = Buffer.from(tagText, 'base64');
    if (tag.length === 0) throw new Error('a password hash is not readable');
    const derived = await this.#derive({
      message: messageOf(password),
      nonce: Buffer.from(salt, 'base64'),
      memory: Number(memory),
      passes: Number(passes),
      parallelism: Number(parallelism),
      tagLength: tag.length,
    });
    return timingSafeEqual(derived, tag) && hash !== null;
  }

  async #derive(parameters: Argon2Parameters): Promise<Buffer> {
    await this.#turn();
    try {
      return await derive('argon2id', parameters);
    } finally {
      const next = this.#waiting.shift();
      // The turn is handed on, so that nobody comes between.
      if (next) next();
      else this.#running--;
    }
  }

  async #turn(): Promise<void> {
    if (this.#running < RUNNING_MAX) {
      this.#running++;
      return;
    }
    if (this.#waiting.length >= WAITING_MAX) throw new ApiError(503, 'Service unavailable');
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}
