/** Links to files, for whoever asked for them, and what of a dataset they are of. */
import type { FileFormat } from '../delivery/file-formats.ts';
import { fileName, partitionsOf } from '../delivery/manifest.ts';
import { type Ticket, ticketSealer } from '../delivery/ticket.ts';
import type { Lake } from '../lake/lake.ts';
import { planBulk } from '../plan/plan-bulk.ts';
import { withoutParts } from '../plan/plan-changes.ts';
import { claimOf } from './admit.ts';
import { snapshotOf } from './asked-version.ts';
import type { KeyedExchange } from './endpoint.ts';
import type { NamedFile } from './named-files.ts';
import { requestOrigin } from './origin.ts';
import { type Asking, BULK } from './plan-request.ts';

/** The request that files are part of, as it can be asked again. */
export type LinkedRequest = Pick<Ticket, 'group' | 'segment' | 'queryString' | 'besides'>;

export interface FileLinks {
  readonly expiresAtMs: number;
  urlOf(file: Pick<NamedFile, 'plan' | 'fingerprint'>): string;
}

export function fileLinks(
  { services, request, path, endpoint }: KeyedExchange,
  linked: LinkedRequest,
  fileFormat: FileFormat,
): FileLinks {
  const { config, clock, linkSecret } = services;
  const expiresAtMs = clock.now() + config.linkLifetimeMs;
  const claim = claimOf(services, request, endpoint);
  const asked = { ...claim, ...linked, fileFormat: fileFormat.name, expiresAtMs };
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

/** All rows; where `besides` is a version, only those of parts that it does not have. 0 has none. */
export function bulkBesides(lake: Lake, besides: number | null): Asking {
  if (besides === null) return BULK;
  const plan: Asking['plan'] = async (input) => {
    const { dataset, snapshot } = input;
    if (snapshot === null) return await planBulk(input);
    const others = besides === 0 ? [] : (await snapshotOf(lake, dataset, besides)).parts;
    return await planBulk({ ...input, snapshot: withoutParts(snapshot, others) });
  };
  return { ...BULK, plan };
}
