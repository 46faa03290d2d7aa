/** Operations that give people a link by which they choose their own password. */
import { makePersonLink } from '../access/person-link.ts';
import { isoSeconds } from '../base/clock.ts';
import { ApiError } from '../base/errors.ts';
import type { Message } from '../mail/mailer.ts';
import type { Person } from '../store/people.ts';
import type { LinkKind } from '../store/person-links.ts';
import { PERSON_LINK } from './answers.ts';
import { answeringEnquiries } from './enquiry-operations.ts';
import { optional, refuse } from './field.ts';
import { FLAG } from './field-kinds.ts';
import { changed, type Operation, type OperationContext, operation } from './operation.ts';
import { addPerson, NEW_PERSON_FIELDS } from './person-operations.ts';
import { PEOPLE, PERSON_ID } from './records.ts';
import { personView } from './views.ts';

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

const SEND_BY_EMAIL = optional(
  FLAG,
  'E-mail the link to the person instead of showing it; default: false',
  '--send',
);

const KEEP_LINK = 'Send the link securely: it works once, and it is shown only once.';

interface LinkInput {
  readonly send_by_email?: boolean | undefined;
}

function linking({ links }: Pick<OperationContext, 'links'>) {
  if (!links) throw new Error('nobody says what links begin with');
  return links;
}

/** Asked before anything is changed. */
function requireMail(
  context: OperationContext,
  { send_by_email }: LinkInput,
  address: string,
): void {
  if (!send_by_email) return;
  const { send, countMail } = linking(context);
  if (send) {
    countMail?.(address);
    return;
  }
  const complaint = 'needs a mail server, and this server has none: set TICKLAKE_SMTP_SERVER';
  refuse('send_by_email', 'no_mail_server', complaint, true);
}

async function linkView(context: OperationContext, person: Person) {
  const links = linking(context);
  const { path, kind, expiresAtMs } = await makePersonLink(
    context.store,
    person,
    context.nowMs,
    links,
  );
  return {
    ...personView(person),
    link: `${links.origin}${path}` as string | null,
    link_kind: kind,
    link_expires_at: isoSeconds(expiresAtMs),
    is_link_sent: false,
  };
}

type LinkView = Awaited<ReturnType<typeof linkView>>;

/** Sends the link once it counts; where that fails, it is shown after all. */
async function deliverLink(
  context: Pick<OperationContext, 'links'>,
  { send_by_email }: LinkInput,
  view: LinkView,
): Promise<LinkView> {
  const { send } = linking(context);
  const { link, email, link_kind: kind, link_expires_at } = view;
  if (!send_by_email || !send || link === null) return view;
  const expiresAtMs = Date.parse(link_expires_at);
  const isSent = await send(linkMessage({ email, link, kind, expiresAtMs }), view.person_id);
  return isSent ? { ...view, link: null, is_link_sent: true } : view;
}

/** A link in the audit log: nothing that opens it. */
function loggedLink({ link: _, is_link_sent: __, ...logged }: LinkView) {
  return logged;
}

export const invitePerson = operation({
  name: 'invitePerson',
  summary: 'invite a person by a link to choose a password, shown only in this answer or e-mailed',
  endpoint: 'POST /people/invite',
  command: 'user invite',
  fields: { ...NEW_PERSON_FIELDS, send_by_email: SEND_BY_EMAIL },
  answer: PERSON_LINK,
  refusals: ['not found', 'conflict'],
  note: KEEP_LINK,
  secret: 'link',
  run: async (context, values) => {
    requireMail(context, values, values.email);
    const person = await addPerson(context, values);
    const view = await linkView(context, person);
    return changed(view, `person:${person.personId}`, null, loggedLink(view));
  },
  deliver: deliverLink,
});

export const makeLink = operation({
  name: 'makePersonLink',
  summary:
    'make a link by which a person chooses a new password, shown only in this answer or e-mailed',
  endpoint: 'POST /people/:person_id/link',
  command: 'user link',
  fields: { person_id: PERSON_ID, send_by_email: SEND_BY_EMAIL },
  answer: PERSON_LINK,
  refusals: ['conflict'],
  note: KEEP_LINK,
  secret: 'link',
  run: async (context, values) => {
    const person = await PEOPLE.existing(context.store, values.person_id);
    if (!person.isActive) throw new ApiError('conflict', 'The person is deactivated');
    requireMail(context, values, person.email);
    const view = await linkView(context, person);
    return changed(view, `person:${person.personId}`, personView(person), loggedLink(view));
  },
  deliver: deliverLink,
});

export const LINK_OPERATIONS: readonly Operation[] = [answeringEnquiries(invitePerson), makeLink];
