/** Links to files, for whoever asked for them, and what of a dataset they are of. */
import type { FileFormat } from '../delivery/file-formats.ts';
import { fileName, partitionsOf } from '../delivery/manifest.ts';
import { type Ticket, ticketSealer } from '../delivery/ticket.ts';
import type { Lake } from '../lake/lake.ts';
import { planBulk } from '../plan/plan-bulk.ts';
import { withoutParts } from '../plan/plan-changes.ts';
import { type AskedRows, snapshotOf } from '../query/plan-request.ts';
import type { FileExchange } from './endpoint.ts';
import { requestOrigin } from './http-headers.ts';
import type { NamedFile } from './named-files.ts';

/** The request that files are part of, as it can be asked again. */
export type LinkedRequest = Pick<Ticket, 'group' | 'segment' | 'queryString' | 'besides'>;

export interface FileLinks {
  readonly expiresAtMs: number;
  urlOf(file: Pick<NamedFile, 'plan' | 'fingerprint'>): string;
}

export function fileLinks(
  { services, request, path, claim: { keyHash, tokenHash } }: FileExchange,
  linked: LinkedRequest,
  fileFormat: FileFormat,
): FileLinks {
  const { config, clock, linkSecret } = services;
  const expiresAtMs = clock.now() + config.linkLifetimeMs;
  const asked = { keyHash, tokenHash, ...linked, fileFormat: fileFormat.name, expiresAtMs };
  const sealed = ticketSealer(asked, linkSecret);
  const [target = ''] = (request.raw.url ?? '').split('?');
  const prefix = target.slice(0, target.length - path.length);
  const base = `${requestOrigin(request, config)}${prefix}/files`;
  const urlOf: FileLinks['urlOf'] = ({ plan, fingerprint }) => {
    const ticket = sealed({ fingerprint, firstPartition: partitionsOf(plan).first });
    return `${base}/${ticket}/${fileName(plan, fileFormat)}`;
  };
  return { expiresAtMs, urlOf };
}

/** Plans all rows; where `besides` is a version, only those of parts that it does not have. 0 has none. */
export function planBesides(lake: Lake, besides: number | null): AskedRows['planAsked'] {
  if (besides === null) return planBulk;
  return async (input) => {
    const { dataset, snapshot } = input;
    if (snapshot === null) return await planBulk(input);
    const others = besides === 0 ? [] : (await snapshotOf(lake, dataset, besides)).parts;
    return await planBulk({ ...input, snapshot: withoutParts(snapshot, others) });
  };
}
