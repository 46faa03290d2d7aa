/** `ticklake serve`: serves a home as it is. It makes no data, no accounts and no keys. */

import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { UsageError } from '../base/errors.ts';
import { failureText } from '../base/failure-text.ts';
import { CONSOLE_FOLDER } from '../base/installation.ts';
import { counted } from '../base/printable.ts';
import type { QueryGate } from '../engine/query-gate.ts';
import { warmUpWriters } from '../formats/warm-up.ts';
import { tryLockFile } from '../installed.ts';
import { type OpenServices, openServices } from '../open-services.ts';
import { askForReload, ReloadRequests, reloadDefinitions } from '../operation/definition-reload.ts';
import { homeGaps } from '../operation/home-state.ts';
import type { OpenConnections } from '../operation/open-connections.ts';
import { ServerLock } from '../operation/server-lock.ts';
import { buildApp } from '../routes/app.ts';
import { openOperationListener } from '../routes/operation-listener.ts';
import { warningOfSettings } from '../settings/config.ts';
import { type Command, type CommandContext, type CommandResult, EXIT } from './command.ts';
import { linesText } from './text.ts';

interface PreparedHome {
  /** The text to print once the server listens. */
  banner(url: string): Promise<string>;
  /** Goes on after that, until the signal; does not reject. */
  whileServing?(): Promise<void>;
}

/** Gets a home ready before the server listens. */
type PrepareHome = (services: OpenServices) => Promise<PreparedHome>;

interface Served {
  readonly services: OpenServices;
  readonly lock: ServerLock;
  readonly app: ReturnType<typeof buildApp>;
}

async function serveUntilAborted(
  { services, lock, app }: Served,
  { signal, stdout, onHangUp }: CommandContext,
  prepare: PrepareHome,
): Promise<void> {
  const { config, connections, gate } = services;
  const { banner, whileServing } = await prepare(services);
  if (signal.aborted) return;
  // Only one address, even if the name has more: each listener would have to be stopped separately.
  const { address } = await lookup(config.host);
  const url = await app.listen({ host: address, port: config.port });
  lock.setUrl(url);
  const reload = async () => {
    const outcome = await reloadDefinitions(services.catalogs);
    if (outcome.faults.length > 0) app.log.error(outcome, 'the new definitions were rejected');
    else app.log.info(outcome, 'the definitions were read again');
    return outcome;
  };
  onHangUp(() => void reload());
  const requests = new ReloadRequests(config.home, reload);
  stdout.write(await banner(url));
  const going = whileServing?.();
  try {
    await warmUpWriters(signal);
    if (!signal.aborted) await once(signal, 'abort');
    requests.close();
    services.uploads.stopWaiting();
    await stopServing(app, connections, gate, config.stopTimeoutMs);
  } finally {
    // The market is written into stores, which the caller closes.
    await going;
  }
}

/** Checked before a market is generated that could then not be served. */
async function requireFreePorts({
  host,
  port,
  operationHost,
  operationPort,
}: CommandContext['config']): Promise<void> {
  await requireFreePort({ setting: 'PORT', host, port });
  if (operationPort === null) return;
  const setting = 'TICKLAKE_OPERATION_PORT';
  await requireFreePort({ setting, host: operationHost, port: operationPort });
}

/** Garbage may come to this share of what is in use; by default to three times as much. */
const GARBAGE_PERCENT_MAX = 30;

/** Throws a `UsageError` where another server has the home, an error where one has its port. */
export async function serveHome(
  context: CommandContext,
  prepare: PrepareHome,
): Promise<CommandResult> {
  const { config, clock, closing } = context;
  setFlagsFromString(`--heap-growing-percent=${GARBAGE_PERCENT_MAX}`);
  const lock = closing(ServerLock.acquire(config.home, clock, tryLockFile));
  await requireFreePorts(config);
  const problem = await serveLockedHome(lock, context, prepare);
  if (problem === null) return { value: { stopped: true }, text: 'Stopped.\n' };
  const text = `ticklake: stopped, but ${problem}\n`;
  return { value: { stopped: true, problem }, text, exitCode: EXIT.failed };
}

/** Says what could not be stored at the stop, as on a full disk; null: nothing. */
async function closingProblem(services: OpenServices): Promise<string | null> {
  try {
    await services.close();
    return null;
  } catch (error) {
    return failureText(error);
  }
}

/** Resolves to what went wrong while the server stopped, or null. */
async function serveLockedHome(
  lock: ServerLock,
  context: CommandContext,
  prepare: PrepareHome,
): Promise<string | null> {
  const { config, clock, signal, stdout } = context;
  const services = await openServices(config, clock);
  let problem: string | null = null;
  try {
    const app = buildApp(services);
    const warning = warningOfSettings(context.env);
    if (warning !== null) app.log.warn(warning);
    const operation = await openOperationListener(services, () => {
      if (signal.aborted) return 'stopping';
      return app.server.listening ? 'ok' : 'starting';
    });
    if (operation) {
      stdout.write(`Operation pages are on ${operation.url}/metrics, /healthz and /readyz\n`);
    }
    try {
      await serveUntilAborted({ services, lock, app }, context, prepare);
    } finally {
      await operation?.close();
    }
  } finally {
    problem = await closingProblem(services);
  }
  return problem;
}

/** A setting's port, and the host that it belongs to. */
export interface ListenSetting {
  readonly setting: string;
  readonly host: string;
  readonly port: number;
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use by another program',
  EACCES: 'is reserved for the system: this user may not listen on it',
};

/** Throws an error that names the setting to change. */
export async function requireFreePort({ setting, host, port }: ListenSetting): Promise<void> {
  const probe = createServer();
  try {
    await once(probe.listen({ host, port }), 'listening');
  } catch (error) {
    const reason = REASONS[(error as NodeJS.ErrnoException).code ?? ''];
    if (reason === undefined) throw error;
    throw new Error(`port ${port} of ${host} ${reason}; set ${setting} to another one`);
  }
  probe.close();
  await once(probe, 'close');
}

/** How long stopped queries may take to notice. */
const QUERY_END_MS = 5000;
const POLL_MS = 10;

/**
 * Resolves when every request is answered or, `timeoutMs` after the call, broken off: its
 * connection is closed, which stops its query.
 */
export async function stopServing(
  app: { close(): PromiseLike<unknown> },
  connections: OpenConnections,
  gate: QueryGate,
  timeoutMs: number,
): Promise<void> {
  const closed = app.close();
  const timeout = setTimeout(() => connections.breakAll(), timeoutMs);
  await closed;
  clearTimeout(timeout);
  // At least once, so that what a broken-off request used is counted before the counter is closed.
  for (let waitedMs = 0; waitedMs < QUERY_END_MS; waitedMs += POLL_MS) {
    await wait(POLL_MS);
    if (gate.runningCount === 0) return;
  }
}

/** A label and what it stands for. */
export type BannerRow = readonly [label: string, text: string];

/** `url` is the address that the server listens on. Ends with a line break. */
export function bannerText(
  url: string,
  rows: readonly BannerRow[],
  notes: readonly string[],
): string {
  const width = Math.max(...rows.map(([label]) => label.length));
  const lines = rows.map(([label, text]) => `  ${label.padEnd(width)}   ${text}`);
  const banner = [`Ticklake is listening on ${url}`, ...lines, ...notes];
  return linesText(banner);
}

/** A path below the version prefix that finds rows in what is published; null: nothing is. */
export async function firstQueryPath({ catalog, lake }: OpenServices): Promise<string | null> {
  const open = catalog.datasets.filter(
    ({ pathShape, requiredFilters, variant }) =>
      pathShape === 'query' &&
      requiredFilters.length === 0 &&
      variant.adjusted !== true &&
      variant.aggregationLogic !== 'industry_std',
  );
  for (const { datasetId, group, segment } of open) {
    if (await lake.snapshot(datasetId)) return `/data/${group}/${segment}?limit=3`;
  }
  return null;
}

export const reloadDefinitionsCommand: Command = {
  name: ['definitions', 'reload'],
  summary: 'have the running server read its dataset definitions again',
  run: async ({ config }) => {
    const { datasetCount, faults } = await askForReload(config.home, tryLockFile);
    if (faults.length > 0) {
      throw new UsageError([...faults, 'the server keeps using its earlier definitions']);
    }
    const text = `The server now uses the new definitions; it offers ${counted(datasetCount, 'dataset')}.\n`;
    return { value: { datasetCount }, text };
  },
};

async function rowsOf(services: OpenServices, url: string): Promise<BannerRow[]> {
  const { config } = services;
  const api = `${url}${config.prefixes[0]}`;
  const path = await firstQueryPath(services);
  return [
    ...(existsSync(CONSOLE_FOLDER)
      ? [['console', `${config.publicUrl ?? url}/console/`] as const]
      : []),
    ['describe', `${api}/openapi.json`],
    ...(path ? [['try', `curl -H "X-API-KEY: $KEY" '${api}${path}'`] as const] : []),
  ];
}

/** Lists what keeps people from reading data, with the command that solves it. */
async function gapLines(
  { commandLine, clock }: CommandContext,
  services: OpenServices,
): Promise<string[]> {
  const gaps = await homeGaps(services, clock.now());
  if (gaps.length === 0) return [];
  const lines = gaps.flatMap(({ text, words }) =>
    words === null ? [`  ${text}`] : [`  ${text} Run:`, `    ${commandLine(words)}`],
  );
  return ['Not ready for use yet:', ...lines];
}

/** Says where the server listens, and what its home lacks. */
export async function serveBanner(
  services: OpenServices,
  context: CommandContext,
  url: string,
): Promise<string> {
  return bannerText(url, await rowsOf(services, url), await gapLines(context, services));
}

export const serve: Command = {
  name: ['serve'],
  summary: 'serve the data of a home over HTTP',
  writesLog: true,
  run: (context) => {
    const { home, store } = context.config;
    const isMade = !store && !existsSync(home);
    const note = isMade
      ? `There was no home at ${home}, so a new, empty one was made. If you meant another, stop and name it with --home.\n`
      : '';
    const banner = async (services: OpenServices, url: string) =>
      `${note}${await serveBanner(services, context, url)}`;
    return serveHome(context, async (services) => ({ banner: (url) => banner(services, url) }));
  },
};
