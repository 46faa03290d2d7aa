/** The address of a mail server: a URL without a password. */
import { isIPv4 } from 'node:net';

export interface MailServer {
  readonly host: string;
  readonly port: number;
  /** True if the connection begins with TLS instead of changing to it. */
  readonly isSecure: boolean;
  /** Null: without signing in. */
  readonly user: string | null;
}

const PORTS: Readonly<Record<string, number>> = { 'smtp:': 587, 'smtps:': 465 };

export function parseMailServer(text: string): MailServer | undefined {
  const url = URL.parse(text);
  const port = url && PORTS[url.protocol];
  if (!url || port === null || port === undefined) return undefined;
  const isBare = ['', '/'].includes(url.pathname) && url.search === '' && url.hash === '';
  if (!isBare || url.hostname === '' || url.password !== '') return undefined;
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? port : Number(url.port),
    isSecure: url.protocol === 'smtps:',
    user: url.username === '' ? null : decodeURIComponent(url.username),
  };
}

/** Nobody listens between two processes of one machine. */
export function isOnThisMachine({ host }: MailServer): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}
