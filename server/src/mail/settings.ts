/** The mail server that links are sent by; without it they are shown to be sent by hand. */
import { anyText, optionalSetting, textOf } from '../schema/setting.ts';
import { parseMailServer } from './mail-server.ts';

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
