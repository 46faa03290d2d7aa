/** The client of an object store. It is loaded when it is first used: a lake in a folder needs none. */
import type { S3 } from '@aws-sdk/client-s3';
import { objectFailure } from './object-failures.ts';

export interface ObjectClientOptions {
  readonly bucket: string;
  /** Origin of the store; null: that of AWS. */
  readonly endpoint: string | null;
  /** Null: what the environment or the profile says. */
  readonly region: string | null;
  /** Sends no sums that a store does not ask for: one that copies pieces has none for them, or wrong ones. */
  readonly omitsSums?: boolean;
}

/** Stores that have no regions take this one. */
const ANY_REGION = 'us-east-1';
const CONNECTION_TIMEOUT_MS = 5000;
/** Without a byte in either direction. A store that stands still is given up after all attempts, in 20 s. */
const SILENCE_MAX_MS = 10_000;
export const ATTEMPTS_MAX = 2;

async function openS3({ endpoint, region, omitsSums }: ObjectClientOptions): Promise<S3> {
  const client = await import('@aws-sdk/client-s3');
  const chosen = region ?? (endpoint === null ? null : ANY_REGION);
  return new client.S3({
    ...(endpoint !== null && { endpoint, forcePathStyle: true }),
    ...(chosen !== null && { region: chosen }),
    ...(omitsSums && { requestChecksumCalculation: 'WHEN_REQUIRED' as const }),
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      socketTimeout: SILENCE_MAX_MS,
    },
    maxAttempts: ATTEMPTS_MAX,
  });
}

export interface ObjectCredentials {
  readonly keyId: string;
  readonly secret: string;
  readonly sessionToken: string | null;
  /** Null: they stay. */
  readonly expiresAtMs: number | null;
}

export class ObjectClient {
  readonly bucket: string;
  readonly endpoint: string | null;
  readonly #options: ObjectClientOptions;
  #s3: Promise<S3> | undefined;

  constructor(options: ObjectClientOptions) {
    this.#options = options;
    this.bucket = options.bucket;
    this.endpoint = options.endpoint;
  }

  urlOf(key: string): string {
    return `s3://${this.bucket}/${key}`;
  }

  /** The key of an object by its URL, which is one of the bucket. */
  keyOf(url: string): string {
    return url.slice(this.urlOf('').length);
  }

  /** Rejects with an error for the operator, of code `ENOENT` where the object does not exist. */
  async send<T>(key: string, use: (s3: S3) => Promise<T>): Promise<T> {
    try {
      return await use(await this.#open());
    } catch (error) {
      throw objectFailure(this.urlOf(key), error);
    }
  }

  /** By how much the clock of the store is ahead, in ms, where the last answer told of a great difference. */
  async clockOffsetMs(): Promise<number> {
    return (await this.#open()).config.systemClockOffset;
  }

  async region(): Promise<string> {
    return await this.send('', (s3) => s3.config.region());
  }

  /** The valid ones: what expires is fetched again in time. */
  async credentials(): Promise<ObjectCredentials> {
    return await this.send('', async (s3) => {
      const found = await s3.config.credentials();
      return {
        keyId: found.accessKeyId,
        secret: found.secretAccessKey,
        sessionToken: found.sessionToken ?? null,
        expiresAtMs: found.expiration?.getTime() ?? null,
      };
    });
  }

  async #open(): Promise<S3> {
    this.#s3 ??= openS3(this.#options);
    return await this.#s3;
  }
}
