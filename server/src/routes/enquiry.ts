/**
 * Somebody without an account asks for access. The answer is the same whoever's address it is, so
 * that nobody learns who has an account.
 */
import { SITE_PREFIX_LENGTH, sourceNetwork } from '../access/source-network.ts';
import { ENQUIRIES_MAX, ENQUIRY_FIELDS } from '../admin/enquiry-operations.ts';
import { enquiryView } from '../admin/views.ts';
import type { Message } from '../mail/mailer.ts';
import type { StoreReader } from '../store/control-store.ts';
import { requireOwnOrigin } from './cors.ts';
import type { Exchange, SignInServices, SiteServices } from './endpoint.ts';
import { requestOrigin, requestSource, sourceText } from './http-headers.ts';
import { readSecretBody } from './request-fields.ts';

/** Who are written to. */
const OWNERS_MAX = 10;

type Enquiring = Exchange<SignInServices & SiteServices>;

export async function takeEnquiry(exchange: Enquiring) {
  const { services, request } = exchange;
  const { store, config, clock, mailRate } = services;
  requireOwnOrigin(request, config);
  const { email, dataset_id: dataset, note = '' } = readSecretBody(exchange, ENQUIRY_FIELDS);
  const network = sourceNetwork(requestSource(request, config), SITE_PREFIX_LENGTH);
  mailRate.countEnquiry(network);
  const asked = { email, note, datasetId: dataset?.datasetId ?? null, createdAtMs: clock.now() };
  await store.transaction(async (tx) => {
    const enquiryId = await tx.enquiries.add(asked, ENQUIRIES_MAX);
    const after = enquiryView({ ...asked, enquiryId }, services.catalog);
    await tx.audit.append({
      ...{ happenedAtMs: asked.createdAtMs, actor: 'anybody', operation: 'sendEnquiry' },
      ...{
        source: sourceText(request, config),
        target: `enquiry:${enquiryId}`,
        before: null,
        after,
      },
    });
  });
  if (!mailRate.countNotice(network)) return { is_received: true };
  const datasetLine = dataset ? [`Dataset: ${dataset.name}`] : [];
  const page = `${requestOrigin(request, config)}/console/access-requests`;
  const lines = [`${email} asks for access.`, ...datasetLine, ...(note ? [note] : []), page];
  // Nobody waits for a mail server that is slow.
  void tellOwners(exchange, `Somebody asks for access to ${services.site.name}`, lines);
  return { is_received: true };
}

/** The address of the service's contact, or those of its owners. */
async function recipients({ people }: StoreReader, contact: string | null): Promise<string[]> {
  const [, address] = /^mailto:(.+)$/.exec(contact ?? '') ?? [];
  if (address !== undefined) return [address];
  return (await people.listActiveOwners(OWNERS_MAX)).map(({ email }) => email);
}

/** Failures go to the operator's log alone: the enquiry is in the console. */
async function tellOwners(
  { services, request }: Enquiring,
  subject: string,
  lines: readonly string[],
): Promise<void> {
  const { mailer, store, site } = services;
  if (mailer === null) return;
  const text = `${lines.join('\n\n')}\n`;
  try {
    const messages = (await recipients(store, site.contact)).map(
      (to): Message => ({ to, subject, text }),
    );
    await Promise.all(messages.map((message) => mailer.send(message)));
  } catch (error) {
    request.log.error({ err: error }, 'an e-mail about an enquiry was not sent');
  }
}
