/** Manifests: all rows of a request as files, which are made when they are first named. */

import { isoSeconds } from '../base/clock.ts';
import { allowanceFor, fileName, partitionsOf, totalsOf } from '../delivery/manifest.ts';
import { planFiles } from '../intervals/plan-source.ts';
import { planBulk } from '../plan/plan-bulk.ts';
import { findHint } from '../query/hint.ts';
import { findMissing, missingHeader } from '../query/missing-identifiers.ts';
import { planBySymbols } from '../query/plan-by-symbols.ts';
import { type PlannedRequest, recheck } from '../query/plan-request.ts';
import { accountOf, inTurn, nameSubject } from '../query/reader.ts';
import {
  type BulkRequest,
  type NamedFile,
  nameFiles,
  parseBulkRequest,
  requireShortLinks,
  requireSmall,
} from '../query/whole-files.ts';
import { canonicalBulk } from '../receipts/canonical-request.ts';
import { chooseBulkDataset } from '../request/data-request.ts';
import { MANIFEST } from './answers.ts';
import { type FileExchange, type KeyedEndpoint, keyedEndpoint } from './endpoint.ts';
import { fileLinks } from './file-endpoint.ts';
import { versionHeaders, withParameters } from './http-headers.ts';

/** Links to the files of a manifest, for the caller who asked for it. */
function linksOf(
  exchange: FileExchange,
  { plan, pins }: PlannedRequest,
  { fileFormat }: BulkRequest,
) {
  const [, , group = '', segment = ''] = exchange.path.split('/');
  const parameters = { ...pins.parameters, dataset_version: plan.version ?? 0 };
  const queryString = withParameters(exchange.queryString, { ...pins, parameters });
  return fileLinks(exchange, { group, segment, queryString, besides: null }, fileFormat);
}

async function showManifest(exchange: FileExchange) {
  const { services, reply, tally, path, queryString } = exchange;
  const { config } = services;
  const [, , group = '', segment = ''] = path.split('/');
  const request = parseBulkRequest({ group, segment, queryString }, config);
  const dataset = chooseBulkDataset(request, services.catalog);
  const rows = { dataset, request, planAsked: planBulk };
  const { planned: asked, headers } = await planBySymbols(exchange, rows);
  nameSubject(tally, asked.plan);
  const askedPlans = planFiles(asked.plan);
  requireSmall(askedPlans, config);
  requireShortLinks(askedPlans.length, queryString);
  const { planned, manifest } = await inTurn(exchange, asked.accountId, async (signal) => {
    const planned = await recheck(exchange, asked);
    const plans = planFiles(planned.plan);
    const { fileFormat } = request;
    const named = await nameFiles(services, { plans, fileFormat }, signal);
    reply.headers({ ...versionHeaders(planned.plan), ...headers });
    return { planned, manifest: await manifestOf(exchange, planned, request, named) };
  });
  const hint = manifest.row_count === 0 ? await findHint(exchange, planned) : null;
  const missing = await findMissing(exchange, planned);
  if (missing) reply.headers(missingHeader(missing));
  const symbols = headers['X-Symbols'] ?? null;
  return { ...manifest, symbols, missing, hint: hint?.text ?? null };
}

async function manifestOf(
  exchange: FileExchange,
  planned: PlannedRequest,
  request: BulkRequest,
  named: readonly NamedFile[],
) {
  const { config, usage } = exchange.services;
  const { plan, accountId } = planned;
  const { closedDates } = plan;
  const links = linksOf(exchange, planned, request);
  const totals = totalsOf(named.map(({ file }) => file));
  const claim = {
    requestCount: named.length,
    returnedBytes: totals.byte_count,
    scannedBytes: plan.scannedBytes,
  };
  const { limits } = accountOf(exchange);
  return {
    dataset_id: plan.dataset.datasetId,
    dataset_version: plan.version,
    factors_version: plan.restatement?.factors.version ?? null,
    window: closedDates && `${closedDates.start}/${closedDates.end}`,
    response_format: request.fileFormat.name,
    canonical_request: canonicalBulk(request, plan, request.fileFormat.name, config),
    ...totals,
    rowless_stream: request.fileFormat.rowlessStream?.(plan) ?? null,
    expires_at: isoSeconds(links.expiresAtMs),
    files: named.map(({ plan: filePlan, fingerprint, file }) => {
      const { first, last } = partitionsOf(filePlan);
      return {
        url: links.urlOf({ plan: filePlan, fingerprint }),
        name: fileName(filePlan, request.fileFormat),
        row_count: file.rowCount,
        byte_count: file.bytes.byteCount,
        sha256: file.sha256,
        first_partition: first,
        last_partition: last,
      };
    }),
    allowance: allowanceFor(claim, limits, await usage.read(accountId)),
  };
}

export const BULK_ENDPOINT: KeyedEndpoint = keyedEndpoint({
  endpoint: 'GET /bulk/:group/:segment',
  operationId: 'showManifest',
  summary:
    'All rows of a request as files, with links to them; takes the filters of a data request',
  answer: MANIFEST,
  errorStatuses: [504],
  takesQuery: true,
  handle: showManifest,
});
