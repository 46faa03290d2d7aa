/** Serves a home: opens it, listens, says where, and stops when it is asked to. */
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { buildApp } from '../app.ts';
import { type OpenServices, openServices } from '../open-services.ts';
import { openOperationListener } from '../operation/operation-listener.ts';
import { stopServing } from '../operation/stop-serving.ts';
import { warmUpWriters } from '../response/warm-up.ts';
import type { CommandContext, CommandResult } from './command.ts';
import { EXIT } from './exit-codes.ts';

/** Gets a home ready before the server listens; gives what is said when it does, on which URL. */
type PrepareHome = (services: OpenServices) => Promise<(url: string) => string>;

async function serveUntilAborted(
  services: OpenServices,
  app: ReturnType<typeof buildApp>,
  { signal, stdout }: CommandContext,
  prepare: PrepareHome,
): Promise<void> {
  const { config, connections, gate } = services;
  const banner = await prepare(services);
  if (signal.aborted) return;
  // One address even of a name that has more: each of them would have to be stopped by itself.
  const { address } = await lookup(config.host);
  const url = await app.listen({ host: address, port: config.port });
  stdout.write(banner(url));
  await warmUpWriters(signal);
  if (!signal.aborted) await once(signal, 'abort');
  await stopServing(app, connections, gate, config.stopTimeoutMs);
}

export async function serveHome(
  context: CommandContext,
  prepare: PrepareHome,
): Promise<CommandResult> {
  const { config, clock, signal, stdout } = context;
  const services = await openServices(config, clock);
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
      await serveUntilAborted(services, app, context, prepare);
    } finally {
      await operation?.close();
    }
  } finally {
    await services.close();
  }
  return { value: { stopped: true }, text: 'Stopped.\n', exitCode: EXIT.done };
}
