import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openTicket, type Ticket, ticketSealer } from './ticket.ts';

const SECRET = randomBytes(32);
const TICKET: Ticket = {
  keyHash: 'a'.repeat(43),
  tokenHash: null,
  group: 'us-equity',
  segment: 'eq-taq',
  queryString: 'Ticker.in=AAPL,MSFT&dataset_version=12',
  fileFormat: 'parquet',
  besides: null,
  fingerprint: 'f'.repeat(43),
  firstPartition: '2026-11-20',
  expiresAtMs: 1_790_000_000_000,
};

function sealTicket({ fingerprint, firstPartition, ...request }: Ticket, secret: Buffer): string {
  return ticketSealer(request, secret)({ fingerprint, firstPartition });
}

describe('a ticket', () => {
  it('opens to what was sealed, in characters that URLs take as they are', () => {
    const sealed = sealTicket(TICKET, SECRET);
    expect(sealed).toMatch(/^[\w-]+$/);
    expect(openTicket(sealed, SECRET)).toEqual(TICKET);
  });

  it('tells nothing of what it holds', () => {
    expect(Buffer.from(sealTicket(TICKET, SECRET), 'base64url').includes('AAPL')).toBe(false);
  });

  it('does not open with another secret', () => {
    expect(openTicket(sealTicket(TICKET, SECRET), randomBytes(32))).toBeNull();
  });

  it('does not open once any of its bytes has changed', () => {
    const sealed = Buffer.from(sealTicket(TICKET, SECRET), 'base64url');
    fc.assert(
      fc.property(fc.nat(sealed.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const forged = Buffer.from(sealed);
        forged[at] = (forged[at] as number) ^ change;
        return openTicket(forged.toString('base64url'), SECRET) === null;
      }),
    );
  });

  it('does not open when it is cut or is any other text', () => {
    const sealed = sealTicket(TICKET, SECRET);
    fc.assert(
      fc.property(
        fc.nat(sealed.length - 2),
        (n) => openTicket(sealed.slice(0, n), SECRET) === null,
      ),
    );
    fc.assert(fc.property(fc.string(), (text) => openTicket(text, SECRET) === null));
  });

  it('is shorter than a request with a thousand identifiers', () => {
    const names = Array.from({ length: 1000 }, (_, i) => `T${i}`).join(',');
    const queryString = `Ticker.in=${names}`;
    const sealed = sealTicket({ ...TICKET, queryString }, SECRET);
    expect(sealed.length).toBeLessThan(queryString.length);
  });
});
