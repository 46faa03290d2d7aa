/** `ticklake serve`: prepares the home, listens, says where, and stops when it is asked to. */
import { once } from 'node:events';
import { buildApp } from '../app.ts';
import { prepareDemo } from '../demo/prepare-demo.ts';
import { openServices } from '../open-services.ts';
import { startBanner } from '../start-banner.ts';
import type { Command, CommandContext, CommandResult } from './command.ts';

function say(text: string): void {
  process.stdout.write(text);
}

async function run({ config, clock, signal }: CommandContext): Promise<CommandResult> {
  const services = await openServices(config, clock);
  try {
    const demo = await prepareDemo(services, (line) => say(`${line}\n`));
    const app = buildApp(services);
    const url = await app.listen({ host: config.host, port: config.port });
    say(startBanner(url, config, demo));
    if (!signal.aborted) await once(signal, 'abort');
    await app.close();
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
