/** The ticket in the path of a request for a file. */
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../base/errors.ts';
import { openTicket, type Ticket } from '../delivery/ticket.ts';

/** An ApiError 'forbidden' that says what is wrong with it. */
export function requireTicket(request: FastifyRequest, linkSecret: Buffer, nowMs: number): Ticket {
  const { ticket: text } = request.params as { ticket: string };
  const ticket = openTicket(text, linkSecret);
  if (ticket === null) throw new ApiError('forbidden', "The file's link is not valid");
  if (ticket.expiresAtMs > nowMs) return ticket;
  throw new ApiError('forbidden', "The file's link has expired: ask for a new manifest");
}
