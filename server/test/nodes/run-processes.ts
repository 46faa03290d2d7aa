/** `npm run processes`: all that several servers need, as processes, until Ctrl-C. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { demoKeyFile } from '@ticklake/demo/demo-home.ts';
import { areSharedPlacesMissing, SharedPlaces } from '../objects/shared-places.ts';
import { type Home, makeHome, ROWS_PATH } from '../operation/server-process.ts';
import { BalancedServers, isBalancerMissing } from './balanced-servers.ts';

const SERVERS = 3;
const ROWS = 1000;

function tell(balanced: BalancedServers, home: Home): void {
  const key = readFileSync(demoKeyFile(home.path), 'utf8').trim();
  const lines = [
    `balancer   ${balanced.url}`,
    ...balanced.servers.map(
      ({ url, operationUrl }) => `server     ${url}, operation pages ${operationUrl}`,
    ),
    `try        curl -H 'X-API-KEY: ${key}' '${balanced.url}${ROWS_PATH}?period=20Y&limit=3'`,
    'Ctrl-C stops all of it.',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

async function run(): Promise<void> {
  const undo: (() => Promise<void> | void)[] = [];
  const stopped = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  try {
    const places = await SharedPlaces.start('processes');
    undo.unshift(() => places.stop());
    const home = await makeHome(ROWS, 10);
    undo.unshift(home.remove);
    const balanced = await BalancedServers.start(SERVERS);
    undo.unshift(() => balanced.end('SIGTERM'));
    tell(balanced, home);
    await stopped;
  } finally {
    for (const step of undo) await step();
  }
}

if (areSharedPlacesMissing || isBalancerMissing()) process.exitCode = 2;
else await run();
