/** What was counted of the requests of the clients, compared with what these know. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { UsageRecord } from '../../src/store/usage.ts';
import { sumOf } from '../quota/quota-service.ts';
import type { Answer, Clients } from './clients.ts';
import { ACCOUNTS, type AccountName, type Deployment, LIMIT_OF_MINUTE } from './deployment.ts';

const MINUTE_MS = 60_000;
/** What a node has counted in its last second may die with it. */
const UNWRITTEN_MS = 1000;
/** All others are written within half a second; a busy machine is slower. */
const WRITTEN_MS = 20_000;
const ALL_DAYS = { firstDay: '2000-01-01', lastDay: '2999-12-31' };

/** Of a node, which forgets what it has not written; or of the store, which forgets what nodes have reserved. */
export interface Death {
  readonly of: number | 'store';
  readonly fromMs: number;
  readonly untilMs: number;
}

const ledgerOf = (deployment: Deployment, account: AccountName): Promise<UsageRecord[]> =>
  deployment.withStore((store) =>
    store.usage.listLedger(deployment.account(account).identityId, 0, 10_000_000),
  );

/** Whether a request was let in and not yet written when something died that may forget it. */
function isForgotten({ sentAtMs, answeredAtMs }: Answer, { fromMs, untilMs }: Death): boolean {
  return sentAtMs <= untilMs && answeredAtMs > fromMs - UNWRITTEN_MS;
}

/** Whether a request has to be in the ledger. */
function isCounted(answer: Answer, deaths: readonly Death[]): boolean {
  if (answer.status === null || answer.status === 503) return false;
  return !deaths.some((death) => death.of === answer.node && isForgotten(answer, death));
}

/** Every request that was answered is in the ledger, once. */
export async function checkLedger(
  deployment: Deployment,
  { answers }: Clients,
  deaths: readonly Death[],
): Promise<string[]> {
  const problems: string[] = [];
  for (const account of ACCOUNTS) {
    const due = answers.filter((each) => each.account === account && isCounted(each, deaths));
    const deadline = Date.now() + WRITTEN_MS;
    for (;;) {
      const ids = (await ledgerOf(deployment, account)).map(({ requestId }) => requestId);
      const counted = new Set(ids);
      if (counted.size < ids.length) problems.push(`${account}: some requests are counted twice`);
      const lost = due.filter(({ requestId }) => !counted.has(requestId ?? ''));
      if (lost.length === 0) break;
      if (Date.now() > deadline) {
        const told = lost
          .slice(0, 3)
          .map(({ node, status, sentAtMs, answeredAtMs, path }) =>
            JSON.stringify({ node, status, sentAtMs, answeredAtMs, path }),
          );
        problems.push(`${account}: ${lost.length} requests are not counted, such as ${told}`);
        break;
      }
      await sleep(100);
    }
  }
  return problems;
}

/** The sums of each account are those of its rows in the ledger. */
export async function checkSums(deployment: Deployment): Promise<string[]> {
  const problems: string[] = [];
  for (const account of ACCOUNTS) {
    const summed = JSON.stringify(sumOf(await ledgerOf(deployment, account)));
    const total = await deployment.withStore((store) =>
      store.usage.total(deployment.account(account).identityId, ALL_DAYS),
    );
    if (JSON.stringify(total) !== summed) {
      problems.push(`${account}: ${JSON.stringify(total)}, and its ledger adds up to ${summed}`);
    }
  }
  return problems;
}

/**
 * The limited account gets no more than its limit within any minute, but for what a store forgets that dies: that
 * counts again when it is written.
 */
export function checkLimit({ answers }: Clients, deaths: readonly Death[]): string[] {
  const passed = answers.filter(
    (answer) =>
      answer.account === 'limited' &&
      answer.status === 200 &&
      !deaths.some((death) => death.of === 'store' && isForgotten(answer, death)),
  );
  // Those that are sure to have been let in within the minute before the last one was.
  const counts = passed.map(
    (last) =>
      passed.filter(
        ({ sentAtMs, answeredAtMs }) =>
          sentAtMs >= last.answeredAtMs - MINUTE_MS && answeredAtMs <= last.answeredAtMs,
      ).length,
  );
  const most = Math.max(0, ...counts);
  return most <= LIMIT_OF_MINUTE ? [] : [`${most} requests passed in a minute`];
}
