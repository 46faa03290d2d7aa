/** What a cluster refuses, or fails at, in words for the operator. */
import { addFailureReader, type SystemFailure } from '../../base/failure-text.ts';
import { codeOf, ServerDownError, ServerRefusal } from './server.ts';

type Failure = Required<Pick<SystemFailure, 'reason' | 'remedy'>>;

const REFUSED: Failure = {
  reason: 'it does not accept the user or the password',
  remedy: 'check TICKLAKE_CLICKHOUSE_WRITER_PASSWORD and TICKLAKE_CLICKHOUSE_READER_PASSWORD',
};
const FORBIDDEN: Failure = {
  reason: 'its user may not do that',
  remedy: 'give the user the rights that docs/clickhouse.md names',
};

/** By the number of the server's error. */
const OF_SERVER: Readonly<Record<string, Failure>> = {
  81: {
    reason: 'there is no such database',
    remedy: 'create it on every server, or correct TICKLAKE_LAKE',
  },
  164: FORBIDDEN,
  192: REFUSED,
  193: REFUSED,
  194: REFUSED,
  195: REFUSED,
  291: {
    reason: 'its user may not use the database, or there is none',
    remedy: 'create it, and give the user the rights that docs/clickhouse.md names',
  },
  497: FORBIDDEN,
  516: REFUSED,
};

const UNREACHABLE: Failure = {
  reason: 'it cannot be reached',
  remedy: 'start the server, or correct TICKLAKE_LAKE',
};
const UNTRUSTED: Failure = {
  reason: 'its certificate is not trusted',
  remedy: 'name the authority in NODE_EXTRA_CA_CERTS',
};
const PLAIN: Failure = {
  reason: 'it does not speak TLS on that port',
  remedy: 'name its port for HTTPS in TICKLAKE_LAKE, or add ?tls=off',
};
const BUSY: Failure = { reason: 'it cannot answer at present', remedy: 'try again' };

/** By the code of the connection. */
const OF_CONNECTION: Readonly<Record<string, Failure>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  CERT_HAS_EXPIRED: { reason: 'its certificate has expired', remedy: 'have it renewed' },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    reason: 'its certificate is for another name',
    remedy: 'name the server in TICKLAKE_LAKE as its certificate does',
  },
  ERR_SSL_WRONG_VERSION_NUMBER: PLAIN,
  EPROTO: PLAIN,
};

function failureOf(error: ServerDownError | ServerRefusal): Failure | undefined {
  const code = codeOf(error.cause);
  if (error instanceof ServerRefusal) return OF_SERVER[`${code}`];
  if (code !== null) return BUSY;
  const { code: ofConnection } = error.cause as NodeJS.ErrnoException;
  return OF_CONNECTION[`${ofConnection}`] ?? UNREACHABLE;
}

addFailureReader((error) => {
  if (!(error instanceof ServerDownError || error instanceof ServerRefusal)) return null;
  const failure = failureOf(error);
  return failure ? { failure: { effect: 'cannot be used', ...failure }, subject: error.url } : null;
});
