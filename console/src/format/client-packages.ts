/** The clients that fit a server are installed from there. */
import own from '../../../client/package.json' with { type: 'json' };

/** Below the console's path. The names have the version: pip keeps what it built of an address. */
export const CLIENT_PACKAGES = {
  python: `clients/ticklake-${own.version}.tar.gz`,
  typescript: `clients/ticklake-client-${own.version}.tgz`,
} as const;

const addressOf = (apiUrl: string, file: string) => `${new URL(apiUrl).origin}/console/${file}`;

/** A line of a shell. `extra`: what else the client should bring, such as `polars`. */
export function installPython(apiUrl: string, extra: string): string {
  return `pip install "ticklake[${extra}] @ ${addressOf(apiUrl, CLIENT_PACKAGES.python)}"`;
}

export function installTypescript(apiUrl: string): string {
  return `npm install ${addressOf(apiUrl, CLIENT_PACKAGES.typescript)}`;
}
