/**
 * How much code one reads to follow a page request from its route to the last byte. The service
 * answers one while each function records that it was entered (`trace-calls.ts`).
 *
 * Counted: files in the folders that a request passes through, which read its HTTP, its grammar,
 * its plan and its page. Not counted: the layers behind them (`engine`, `formats`, `lake`, `store`,
 * `quota`, `access`, `operation`) and the shared vocabulary (`base`, `catalog`, `schema`, `time`).
 * A return: control comes back into a file entered before, to call into a new one.
 */
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { liftTimeLimits } from '../no-time-limits.ts';
import type { Call } from './trace-calls.ts';

liftTimeLimits();

const ROUTE = 'routes/register-path.ts';
const HANDLER = 'routes/data-endpoints.ts';

const FILES_MAX = 25;
const RETURNS_MAX = 10;

function callsOfPage(): readonly Call[] {
  const folder = import.meta.dirname;
  const hook = './trace-calls.ts';
  const printed = execFileSync(process.execPath, ['--import', hook, 'trace-page.ts'], {
    cwd: folder,
    maxBuffer: 256 * 1024 * 1024,
  });
  return JSON.parse(printed.toString());
}

/** The first call into each file, from the handler on. */
function firstCalls(calls: readonly Call[]): readonly Call[] {
  const begin = calls.findIndex(({ file }) => file === HANDLER);
  const first = new Map<string, Call>([[ROUTE, { file: ROUTE, caller: null }]]);
  for (const call of calls.slice(begin)) {
    if (!first.has(call.file)) first.set(call.file, call);
  }
  return [...first.values()];
}

it('a page of rows passes few files, and comes back to few of them', () => {
  const path = firstCalls(callsOfPage());
  const returns = path.filter(({ caller }, at) => at > 0 && caller !== path[at - 1]?.file);
  const lines = path.map((call) => `${returns.includes(call) ? 'back, then ' : ''}${call.file}`);
  console.info(`${path.length} files, ${returns.length} returns:\n${lines.join('\n')}`);
  const files = path.map(({ file }) => file);
  expect(files).toEqual(expect.arrayContaining(['request/data-request.ts', 'plan/prune.ts']));
  expect(path.length).toBeLessThanOrEqual(FILES_MAX);
  expect(returns.length).toBeLessThanOrEqual(RETURNS_MAX);
});
