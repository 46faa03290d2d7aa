/** Certificates for servers in tests, by an authority of their own. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The paths of PEM files. */
export interface Certificate {
  readonly authority: string;
  readonly key: string;
  readonly certificate: string;
}

const openssl = (...words: string[]) => execFileSync('openssl', words, { stdio: 'pipe' });

/** Makes a certificate for the name localhost in the folder. */
export function certify(folder: string): Certificate {
  const [authorityKey, authority, key, request, certificate, names] = [
    ...['authority.key', 'authority.crt', 'server.key', 'server.csr', 'server.crt', 'names'],
  ].map((name) => join(folder, name)) as [string, string, string, string, string, string];
  const made = ['-newkey', 'rsa:2048', '-nodes', '-subj'];
  openssl('req', '-x509', ...made, '/CN=Test', '-keyout', authorityKey, '-out', authority);
  openssl('req', ...made, '/CN=localhost', '-keyout', key, '-out', request);
  writeFileSync(names, 'subjectAltName=DNS:localhost');
  const by = ['-CA', authority, '-CAkey', authorityKey, '-CAcreateserial', '-extfile', names];
  openssl('x509', '-req', '-in', request, ...by, '-out', certificate);
  return { authority, key, certificate };
}
