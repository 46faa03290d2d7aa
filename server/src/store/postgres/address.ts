/** The address of a store in PostgreSQL: a URL without a password. */
import { isIPv4, isIPv6 } from 'node:net';

/**
 * As `libpq` means them: no TLS; encrypted; by an authority that is trusted; and of that very host.
 */
const TLS_MODES = ['disable', 'require', 'verify-ca', 'verify-full'] as const;

export interface PostgresAddress {
  /** A name, an address, or the folder of a socket. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly tlsMode: (typeof TLS_MODES)[number];
  /** Paths of PEM files; null: the system's authorities, and no certificate of our own. */
  readonly authorityFile: string | null;
  readonly certificateFile: string | null;
  readonly keyFile: string | null;
}

const DEFAULT_PORT = 5432;
const PARAMETERS = ['host', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey'];

/** The form that `addressOf` reads, in words. */
export const ADDRESS_FORM =
  'postgres://USER@HOST[:PORT]/DATABASE, without a password (it belongs in PGPASSWORD or PGPASSFILE), ' +
  'followed by ?sslmode=disable, require, verify-ca or verify-full, &sslrootcert=FILE, &sslcert=FILE ' +
  'and &sslkey=FILE where wanted, or postgres://USER@/DATABASE?host=FOLDER for a socket';

/** Nobody listens between two processes of one machine. */
function isLocal(host: string): boolean {
  if (host.startsWith('/') || host === 'localhost') return true;
  return isIPv4(host) ? host.startsWith('127.') : isIPv6(host) && host === '::1';
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Undefined unless the text is a legal address. */
export function addressOf(text: string): PostgresAddress | undefined {
  // Without a host, the parser of URLs refuses a user.
  const whole = text.replace(/^(postgres(?:ql)?:\/\/[^@/?#]*@)\//, '$1socket.invalid/');
  const url = URL.canParse(whole) ? new URL(whole) : undefined;
  if (!url || !['postgres:', 'postgresql:'].includes(url.protocol)) return undefined;
  const { searchParams: given, hostname, port, password, hash } = url;
  if (password !== '' || hash !== '') return undefined;
  if ([...given.keys()].some((name) => !PARAMETERS.includes(name))) return undefined;
  const user = decoded(url.username);
  const database = decoded(url.pathname.slice(1));
  const folder = given.get('host');
  const host = folder ?? hostname.replace(/^\[(.*)\]$/, '$1');
  const mode = given.get('sslmode') ?? (isLocal(host) ? 'disable' : 'verify-full');
  const tlsMode = TLS_MODES.find((each) => each === mode);
  if (!user || !database || database.includes('/') || !tlsMode) return undefined;
  if (folder === null ? ['', 'socket.invalid'].includes(hostname) : !folder.startsWith('/')) {
    return undefined;
  }
  return {
    ...{ host, user, database, tlsMode, port: port === '' ? DEFAULT_PORT : Number(port) },
    authorityFile: given.get('sslrootcert'),
    certificateFile: given.get('sslcert'),
    keyFile: given.get('sslkey'),
  };
}

/** For messages. */
export function addressText({ host, port, database }: PostgresAddress): string {
  const place = host.includes(':') ? `[${host}]` : host;
  return `the database ${database} at ${place}:${port}`;
}
