/** Serves a home: opens it, listens, says where, and stops when it is asked to. */
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { failureText } from '../base/failure-text.ts';
import { warmUpWriters } from '../formats/warm-up.ts';
import { tryLockFile } from '../installed.ts';
import { type OpenServices, openServices } from '../open-services.ts';
import { ReloadRequests, reloadDefinitions } from '../operation/definition-reload.ts';
import { requireFreePort } from '../operation/require-free-port.ts';
import { ServerLock } from '../operation/server-lock.ts';
import { stopServing } from '../operation/stop-serving.ts';
import { buildApp } from '../routes/app.ts';
import { openOperationListener } from '../routes/operation-listener.ts';
import type { CommandContext, CommandResult } from './command.ts';
import { EXIT } from './exit-codes.ts';

/** Gets a home ready before the server listens; returns what to print, by URL, once it listens. */
type PrepareHome = (services: OpenServices) => Promise<(url: string) => Promise<string>>;

async function serveUntilAborted(
  services: OpenServices,
  lock: ServerLock,
  app: ReturnType<typeof buildApp>,
  { signal, stdout, onHangUp }: CommandContext,
  prepare: PrepareHome,
): Promise<void> {
  const { config, connections, gate } = services;
  const banner = await prepare(services);
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
  await warmUpWriters(signal);
  if (!signal.aborted) await once(signal, 'abort');
  requests.close();
  services.uploads.stopWaiting();
  await stopServing(app, connections, gate, config.stopTimeoutMs);
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

/** Throws a `UsageError` where another server has the home, an error where one has its port. */
export async function serveHome(
  context: CommandContext,
  prepare: PrepareHome,
): Promise<CommandResult> {
  const { config, clock } = context;
  const lock = ServerLock.acquire(config.home, clock, tryLockFile);
  try {
    await requireFreePorts(config);
    const problem = await serveLockedHome(lock, context, prepare);
    if (problem === null)
      return { value: { stopped: true }, text: 'Stopped.\n', exitCode: EXIT.done };
    const text = `ticklake: stopped, but ${problem}\n`;
    return { value: { stopped: true, problem }, text, exitCode: EXIT.failed };
  } finally {
    lock.release();
  }
}

/** Says what could not be stored when a server stops, for example on a full disk; null: everything was. */
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
    const operation = await openOperationListener(services, () => {
      if (signal.aborted) return 'stopping';
      return app.server.listening ? 'ok' : 'starting';
    });
    if (operation) {
      stdout.write(`Operation pages are on ${operation.url}/metrics, /healthz and /readyz\n`);
    }
    try {
      await serveUntilAborted(services, lock, app, context, prepare);
    } finally {
      await operation?.close();
    }
  } finally {
    problem = await closingProblem(services);
  }
  return problem;
}
