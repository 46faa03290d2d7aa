/** Sends e-mail through the operator's mail server. */
import { readFileSync } from 'node:fs';
import { createTransport } from 'nodemailer';
import { UsageError } from '../base/errors.ts';
import { failureText } from '../base/failure-text.ts';
import { isOnThisMachine, type MailServer } from './settings.ts';

/** A server that does not answer should not keep whoever asked for longer. */
const TIMEOUT_MS = 10_000;

export interface Message {
  readonly to: string;
  readonly subject: string;
  /** Plain text. */
  readonly text: string;
}

export interface Mailer {
  /** Rejects where the mail server did not take the message. */
  send(message: Message): Promise<void>;
}

interface MailConfig {
  readonly mailServer: MailServer | null;
  readonly mailPasswordFile: string | null;
  readonly mailFrom: string | null;
  readonly publicUrl: string | null;
}

function passwordOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new UsageError(`TICKLAKE_SMTP_PASSWORD_FILE: ${failureText(error)}`);
  }
}

function signInOf({ user }: MailServer, passwordFile: string | null) {
  if (user === null) return {};
  if (passwordFile === null) {
    throw new UsageError(
      'TICKLAKE_SMTP_SERVER names a user: TICKLAKE_SMTP_PASSWORD_FILE is needed',
    );
  }
  return { auth: { user, pass: passwordOf(passwordFile) } };
}

/**
 * Null where no mail server is set. Throws a `UsageError` where one is and something that it needs
 * is not: links in e-mail must not lead to whatever host a request names.
 */
export function openMailer(config: MailConfig): Mailer | null {
  const { mailServer, mailPasswordFile, mailFrom, publicUrl } = config;
  if (mailServer === null) return null;
  if (mailFrom === null) throw new UsageError('TICKLAKE_SMTP_SERVER needs TICKLAKE_MAIL_FROM');
  if (publicUrl === null) throw new UsageError('TICKLAKE_SMTP_SERVER needs TICKLAKE_PUBLIC_URL');
  const transport = createTransport({
    host: mailServer.host,
    port: mailServer.port,
    secure: mailServer.isSecure,
    requireTLS: !mailServer.isSecure && !isOnThisMachine(mailServer),
    ...signInOf(mailServer, mailPasswordFile),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    send: async (message) => {
      await transport.sendMail({ ...message, from: mailFrom });
    },
  };
}
