/** Asking the owner for access without an account, over HTTP. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENQUIRIES_MAX } from '../../src/admin/enquiry-operations.ts';
import { openMailer } from '../../src/mail/mailer.ts';
import { writing } from '../writing.ts';
import { startMailServer, type TestMailServer } from './mail-server.ts';
import { type Browser, openPeopleService, type PeopleService } from './people-service.ts';

const HOUR_MS = 3_600_000;
const PATH = '/public/enquiries';

let service: PeopleService;
let closed: PeopleService;
let mail: TestMailServer;
let owner: Browser;
beforeAll(async () => {
  mail = await startMailServer();
  service = await openPeopleService({
    site: { name: 'Example Data', public_catalogue: true },
    trustedProxies: [],
  });
  const mailServer = { host: '127.0.0.1', port: mail.port, isSecure: false, user: null };
  const mailer = openMailer({
    ...{ mailServer, mailFrom: 'Data <data@example.com>', mailPasswordFile: null },
    publicUrl: service.url,
  });
  Object.assign(service.services, { mailer });
  closed = await openPeopleService();
  owner = await service.signedIn((await service.newPerson('owner', null)).email);
});
afterAll(async () => {
  await service.close();
  await closed.close();
  await mail.close();
});

/** Whoever asks has another hour of tries. */
function nextHour(): void {
  service.clock.set(new Date(service.clock.now() + HOUR_MS).toISOString());
}

const send = (body: object, headers = {}) => service.browser().post(PATH, body, headers);
const waiting = async () => (await owner.get('/enquiries')).body;
const email = 'quant@fund.example';

describe('an enquiry', () => {
  it('reaches the owners, by e-mail too, as text, and the audit log', async () => {
    const note = '<b>closes</b> for a study';
    const sent = await send({ email: 'Quant@Fund.example', dataset_id: 'eq_daily_ohlc', note });
    expect([sent.status, sent.body]).toEqual([200, { is_received: true }]);
    const [enquiry] = await waiting();
    expect(enquiry).toEqual({
      ...{ enquiry_id: 1, email, note, created_at: '2025-06-20T16:00:00Z' },
      ...{ dataset_id: 'US1020', dataset_name: 'US Equities Daily OHLC' },
    });
    expect(mail.messages).toHaveLength(1);
    expect(mail.messages[0]).toContain('Subject: Somebody asks for access to Example Data');
    expect(mail.messages[0]).toContain('Content-Type: text/plain');
    expect(mail.messages[0]).toContain(`${email} asks for access.`);
    expect(mail.messages[0]).toContain(`${service.url}/console/access-requests`);
    const { data } = (await owner.get('/audit-log?newest_first=true&limit=1')).body;
    expect(data).toMatchObject([
      { operation: 'sendEnquiry', actor: 'anybody', target: 'enquiry:1', after: { email, note } },
    ]);
  });

  it('is answered by an invitation of its address, and by declining it', async () => {
    nextHour();
    await send({ email: 'other@fund.example' });
    const [other] = await waiting();
    const declined = await owner.post(`/enquiries/${other.enquiry_id}/decline`);
    expect(declined.body).toEqual({ enquiry_id: other.enquiry_id, is_deleted: true });
    expect((await owner.post(`/enquiries/${other.enquiry_id}/decline`)).status).toBe(404);
    const person = { email, role: 'member', identity_id: service.accountId };
    expect((await owner.post('/people/invite', person)).status).toBe(200);
    expect(await waiting()).toEqual([]);
  });

  it('has the same answer whoever has an account', async () => {
    nextHour();
    const known = await service.newPerson('member', service.accountId);
    const answers = [await send({ email: known.email }), await send({ email: 'no@one.example' })];
    expect(answers.map(({ status, body }) => [status, body])).toEqual(
      answers.map(() => [200, { is_received: true }]),
    );
  });

  it('is for owners alone to see', async () => {
    const { email: address } = await service.newPerson('manager', service.accountId);
    const manager = await service.signedIn(address);
    expect((await manager.get('/enquiries')).status).toBe(403);
    expect((await service.browser().get('/enquiries')).status).toBe(401);
  });

  it('needs a public catalogue, a page of the service, an address and a short text', async () => {
    nextHour();
    expect((await closed.browser().post(PATH, { email })).status).toBe(404);
    expect((await send({ email }, { origin: 'https://elsewhere.example' })).status).toBe(400);
    const before = await waiting();
    for (const body of [
      {},
      { email: 'nobody' },
      { email: 'a@b.example\nBcc: c@d.example' },
      { email, note: 'x'.repeat(2001) },
      { email, note: 'two\nlines\u0000' },
      { email, dataset_id: 'nothing' },
      { email, role: 'owner' },
    ]) {
      const answer = await send(body);
      expect(answer.status, JSON.stringify(body)).toBe(422);
    }
    expect(await waiting()).toEqual(before);
  });
});

describe('many enquiries', () => {
  it('are refused after five from a network within an hour, and mailed five times', async () => {
    nextHour();
    const mailed = mail.messages.length;
    const statuses = [];
    for (let at = 0; at < 6; at++) statuses.push((await send({ email })).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
    expect(mail.messages.length - mailed).toBeLessThanOrEqual(5 * 10);
    nextHour();
    expect((await send({ email })).status).toBe(200);
  });

  it('are refused while as many wait as may', async () => {
    nextHour();
    const { enquiries } = writing(service.services.store);
    const asked = { email, datasetId: null, note: '', createdAtMs: 0 };
    for (let at = await enquiries.countAll(); at < ENQUIRIES_MAX; at++) await enquiries.add(asked);
    const refused = await send({ email: 'late@fund.example' });
    expect([refused.status, refused.body.detail]).toEqual([
      429,
      'Too many people wait for an answer; try again later',
    ]);
    expect(await waiting()).toHaveLength(ENQUIRIES_MAX);
  });
});
