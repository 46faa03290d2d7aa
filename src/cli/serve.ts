/** `ticklake serve`: prepares the home, listens, says where, and stops when it is asked to. */
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import type { FastifyInstance } from 'fastify';
import { buildApp } from '../app.ts';
import { prepareDemo } from '../demo/prepare-demo.ts';
import { type OpenServices, openServices } from '../open-services.ts';
import { OpenConnections } from '../operation/open-connections.ts';
import { openOperationListener } from '../operation/operation-listener.ts';
import { stopServing } from '../operation/stop-serving.ts';
import { warmUpWriters } from '../response/warm-up.ts';
import { startBanner } from '../start-banner.ts';
import type { Command, CommandContext, CommandResult } from './command.ts';

function say(text: string): void {
  process.stdout.write(text);
}

async function serveUntilAborted(
  services: OpenServices,
  app: FastifyInstance,
  signal: AbortSignal,
): Promise<void> {
  const { config, gate } = services;
  const demo = await prepareDemo(services, (line) => say(`${line}\n`));
  if (signal.aborted) return;
  const connections = new OpenConnections(app.server);
  // One address even of a name that has more: each of them would have to be stopped by itself.
  const { address } = await lookup(config.host);
  const url = await app.listen({ host: address, port: config.port });
  say(startBanner(url, config, demo));
  await warmUpWriters(signal);
  if (!signal.aborted) await once(signal, 'abort');
  await stopServing(app, connections, gate, config.stopTimeoutMs);
}

async function run({ config, clock, signal }: CommandContext): Promise<CommandResult> {
  const services = await openServices(config, clock);
  try {
    const app = buildApp(services);
    const operation = await openOperationListener(services, () => {
      if (signal.aborted) return 'stopping';
      return app.server.listening ? 'ok' : 'starting';
    });
    if (operation) say(`Operation pages are on ${operation.url}/metrics, /healthz and /readyz\n`);
    try {
      await serveUntilAborted(services, app, signal);
    } finally {
      await operation?.close();
    }
  } finally {
    await services.close();
  }
  return { value: { stopped: true }, text: 'Stopped.\n', exitCode: 0 };
}

export const serve: Command = {
  name: ['serve'],
  summary: 'serve the lake over HTTP; an empty one is first filled with the demo market',
  usage: '',
  options: {},
  run,
};
