/** The mail server that links are sent by; without it they are shown to be sent by hand. */

import { isIPv4 } from 'node:net';
import { anyText, optionalSetting, textOf } from '../schema/setting.ts';

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

/** One address, or a name and an address between angle brackets. */
const SENDER = /^([^<>\r\n"]{1,200} <)?[^\s<>@,;:"]+@[^\s<>@,;:"]+>?$/;

const sender = textOf('an address such as data@example.com or Data <data@example.com>', (text) =>
  SENDER.test(text) && text.includes('<') === text.endsWith('>') ? text : undefined,
);

export const MAIL_SETTINGS = {
  mailServer: optionalSetting(
    'TICKLAKE_SMTP_SERVER',
    textOf('smtp://[USER@]HOST[:PORT] or smtps://[USER@]HOST[:PORT]', parseMailServer),
    'Mail server that sends invitations and links to reset passwords; needs `TICKLAKE_MAIL_FROM` and `TICKLAKE_PUBLIC_URL`. Over smtp, TLS is required unless the server is on this machine.',
  ),
  mailPasswordFile: optionalSetting(
    'TICKLAKE_SMTP_PASSWORD_FILE',
    anyText,
    "File that holds the password of the mail server's user.",
  ),
  mailFrom: optionalSetting('TICKLAKE_MAIL_FROM', sender, 'Address that e-mail is sent from.'),
};
