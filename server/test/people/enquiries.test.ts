/** Asking the owner for access without an account, over HTTP. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseSubnet, type Subnet } from '../../src/access/subnet.ts';
import { ENQUIRIES_MAX } from '../../src/admin/enquiry-operations.ts';
import { openMailer } from '../../src/mail/mailer.ts';
import { eventually } from '../eventually.ts';
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
    trustedProxies: [parseSubnet('127.0.0.1/32') as Subnet],
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
/** With the address that a proxy gives as the sender's. */
const sendFrom = async (source: string, body: object) =>
  (await send(body, { 'x-forwarded-for': source })).status;
/** Waits for e-mails about addresses of a domain, and says which ones these tell of, sorted. */
const mailedOf = (domain: string, count: number): Promise<(string | undefined)[]> =>
  eventually(() => {
    const addresses = mail.messages.map((text) => /^(\S+) asks for access/m.exec(text)?.[1]);
    const own = addresses.filter((address) => address?.endsWith(`@${domain}`)).toSorted();
    expect(own.length).toBeGreaterThanOrEqual(count);
    return own;
  });
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
    expect(await mailedOf('fund.example', 1)).toEqual([email]);
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
    const { data } = (await owner.get('/audit-log?newest_first=true&limit=1')).body;
    expect(data).toMatchObject([
      { operation: 'invitePerson', after: { email, answered_enquiries: [{ email }] } },
    ]);
  });

  it('stays for the owners where a manager invites its address', async () => {
    nextHour();
    const asked = { email: 'colleague@fund.example' };
    await send(asked);
    const { email: address } = await service.newPerson('manager', service.accountId);
    const manager = await service.signedIn(address);
    const invited = await manager.post('/account/my/people/invite', { ...asked, role: 'member' });
    expect(invited.status).toBe(200);
    const [kept] = await waiting();
    expect(kept).toMatchObject(asked);
    await owner.post(`/enquiries/${kept.enquiry_id}/decline`);
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
  it('are refused after five from a network within an hour', async () => {
    nextHour();
    const sources = ['192.0.2.1', '2001:db8:7:%::1'];
    for (const source of sources) {
      const from = (at: number) => sendFrom(source.replace('%', String(at)), { email });
      for (let at = 0; at < 5; at++) expect(await from(at), source).toBe(200);
      expect(await from(5), source).toBe(429);
    }
    expect(await sendFrom('2001:db8:8::1', { email })).toBe(200);
    nextHour();
    for (const source of sources)
      expect(await sendFrom(source.replace('%', '9'), { email })).toBe(200);
  });

  it('are mailed once an hour of each network', async () => {
    nextHour();
    await sendFrom('192.0.2.1', { email: '1@hour.example' });
    await sendFrom('192.0.2.1', { email: '2@hour.example' });
    await sendFrom('192.0.2.2', { email: '3@hour.example' });
    nextHour();
    await sendFrom('192.0.2.1', { email: '4@hour.example' });
    expect(await mailedOf('hour.example', 3)).toEqual([
      ...['1@hour.example', '3@hour.example', '4@hour.example'],
    ]);
  });

  it('replace an earlier one of their address about the same dataset', async () => {
    nextHour();
    const address = 'again@fund.example';
    const dataset = { dataset_id: 'eq_daily_ohlc' };
    await send({ email: address, note: 'first' });
    await send({ email: address, note: 'about a dataset', ...dataset });
    await send({ email: 'another@fund.example', note: 'first' });
    await send({ email: address, note: 'second' });
    await send({ email: address, note: 'more about it', ...dataset });
    const own = (await waiting()).filter((enquiry: { email: string }) => enquiry.email === address);
    expect(own.map(({ note }: { note: string }) => note)).toEqual(['more about it', 'second']);
    expect((await waiting())[2]).toMatchObject({ email: 'another@fund.example', note: 'first' });
  });

  it('make room for new ones, the oldest first, and keep nobody out', async () => {
    nextHour();
    await service.services.store.transaction(async ({ enquiries }) => {
      const asked = { datasetId: null, note: '', createdAtMs: 0 };
      for (let at = 0; at < ENQUIRIES_MAX; at++)
        await enquiries.add({ ...asked, email: `flood${at}@many.example` }, ENQUIRIES_MAX);
    });
    expect((await send({ email: 'late@fund.example' })).status).toBe(200);
    const emails = (await waiting()).map((enquiry: { email: string }) => enquiry.email);
    expect(emails).toHaveLength(ENQUIRIES_MAX);
    expect([emails[0], emails.at(-1)]).toEqual(['late@fund.example', 'flood1@many.example']);
  });
});

it('the answer to an enquiry waits for no mail server', async () => {
  nextHour();
  const goOn = mail.hold();
  expect((await send({ email: 'one@patient.example' })).status).toBe(200);
  goOn();
  // An answer that waits comes only after the e-mail was given up.
  expect(await mailedOf('patient.example', 1)).toEqual(['one@patient.example']);
});
