/** `npm start`: prepares the home, listens, and says where; stops on a signal. */
import { buildApp } from './app.ts';
import { systemClock } from './clock.ts';
import { readConfig } from './config.ts';
import { prepareDemo } from './demo/prepare-demo.ts';
import { UsageError } from './errors.ts';
import { openServices } from './open-services.ts';
import { startBanner } from './start-banner.ts';

async function main(): Promise<void> {
  const config = readConfig(process.env);
  const services = await openServices(config, systemClock);
  const demo = await prepareDemo(services, (line) => process.stdout.write(`${line}\n`));
  const app = buildApp(services);
  const url = await app.listen({ host: config.host, port: config.port });
  process.stdout.write(startBanner(url, config, demo));
  const stop = async () => {
    await app.close();
    await services.close();
    process.exit(0);
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
}

try {
  await main();
} catch (error) {
  process.stderr.write(`ticklake: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
