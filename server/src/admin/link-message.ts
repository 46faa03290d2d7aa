/** The e-mail that brings somebody a link. */
import { isoSeconds } from '../base/clock.ts';
import type { Message } from '../mail/mailer.ts';
import type { LinkKind } from '../store/person-links.ts';

const SUBJECTS: Readonly<Record<LinkKind, string>> = {
  invitation: 'You have been invited to Ticklake',
  password_reset: 'Choose a new password for Ticklake',
};

const OPENINGS: Readonly<Record<LinkKind, string>> = {
  invitation: 'You have been invited to read market data on this server. Choose a password here:',
  password_reset: 'Somebody asked for a new password for you. Choose one here:',
};

const CLOSINGS: Readonly<Record<LinkKind, string>> = {
  invitation: 'If you did not expect this, you can ignore it.',
  password_reset: 'If it was not you, you can ignore this: your password stays as it is.',
};

interface Linked {
  readonly email: string;
  readonly link: string;
  readonly kind: LinkKind;
  readonly expiresAtMs: number;
}

export function linkMessage({ email, link, kind, expiresAtMs }: Linked): Message {
  const until = isoSeconds(expiresAtMs)
    .replace('T', ' ')
    .replace(/:\d\dZ$/, ' UTC');
  const paragraphs = [
    OPENINGS[kind],
    link,
    `The link works once, until ${until}. Do not pass it on. ${CLOSINGS[kind]}`,
  ];
  return { to: email, subject: SUBJECTS[kind], text: `${paragraphs.join('\n\n')}\n` };
}
