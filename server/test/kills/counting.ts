/** Compares the counted requests with those that the clients know of. */
import type { UsageRecord } from '../../src/store/usage.ts';
import { ledgerAndTotal, ledgerOf as storedLedgerOf } from '../ledger-of.ts';
import { sumOf } from '../quota/quota-service.ts';
import { until } from '../until.ts';
import { type Answer, type Clients, HANG_MS } from './clients.ts';
import { ACCOUNTS, type AccountName, type Deployment, LIMIT_OF_MINUTE } from './deployment.ts';

const MINUTE_MS = 60_000;

/** Death of a node, which loses its unwritten counts, or of the store, which loses reservations. */
export interface Death {
  readonly of: number | 'store';
  readonly fromMs: number;
  readonly untilMs: number;
}

const ledgerOf = (deployment: Deployment, account: AccountName): Promise<UsageRecord[]> =>
  deployment.withStore((store) =>
    storedLedgerOf(store.usage, deployment.account(account).accountId),
  );

/**
 * Requests missing from an account's ledger. A node's last counts may die with it, but nodes write
 * in order of counting: once a request is written, so are all answered before it was sent.
 */
function missingOf(
  answers: readonly Answer[],
  counted: ReadonlySet<string>,
  deaths: readonly Death[],
): Answer[] {
  const isWritten = ({ requestId }: Answer) => counted.has(requestId ?? '');
  const isForgotten = (lost: Answer) => {
    const death = deaths.find(({ of, untilMs }) => of === lost.node && lost.sentAtMs <= untilMs);
    if (!death) return false;
    return !answers.some(
      (later) =>
        later.node === lost.node &&
        later.sentAtMs > lost.answeredAtMs &&
        later.answeredAtMs <= death.untilMs &&
        isWritten(later),
    );
  };
  const due = answers.filter(({ status }) => status !== null && status !== 503);
  return due.filter((answer) => !isWritten(answer) && !isForgotten(answer));
}

/** Every request that was answered is in the ledger, once. */
export async function checkLedger(
  deployment: Deployment,
  { answers }: Clients,
  deaths: readonly Death[],
): Promise<string[]> {
  const problems: string[] = [];
  for (const account of ACCOUNTS) {
    const asked = answers.filter((each) => each.account === account);
    const hangsAtMs = Date.now() + HANG_MS;
    await until(async () => {
      const ids = (await ledgerOf(deployment, account)).map(({ requestId }) => requestId);
      const counted = new Set(ids);
      if (counted.size < ids.length) problems.push(`${account}: some requests are counted twice`);
      const lost = missingOf(asked, counted, deaths);
      if (lost.length > 0 && Date.now() > hangsAtMs) {
        const told = lost
          .slice(0, 3)
          .map(({ node, status, sentAtMs, answeredAtMs, path }) =>
            JSON.stringify({ node, status, sentAtMs, answeredAtMs, path }),
          );
        problems.push(`${account}: ${lost.length} requests are not counted, such as ${told}`);
        return true;
      }
      return lost.length === 0;
    });
  }
  return problems;
}

/** The sums of each account are those of its rows in the ledger. */
export async function checkSums(deployment: Deployment): Promise<string[]> {
  const problems: string[] = [];
  for (const account of ACCOUNTS) {
    const { records, total } = await deployment.withStore((store) =>
      ledgerAndTotal(store.usage, deployment.account(account).accountId),
    );
    const summed = JSON.stringify(sumOf(records));
    if (JSON.stringify(total) !== summed) {
      problems.push(`${account}: ${JSON.stringify(total)}, and its ledger adds up to ${summed}`);
    }
  }
  return problems;
}

/**
 * Checks that the limited account stays within its limit in any minute. A dying store may forget
 * counts up to the limit, until they are written.
 */
export function checkLimit({ answers }: Clients, deaths: readonly Death[]): string[] {
  const passed = answers.filter(({ account, status }) => account === 'limited' && status === 200);
  const storeDeaths = deaths.filter(({ of }) => of === 'store');
  const problems = passed.flatMap((last) => {
    const [fromMs, untilMs] = [last.answeredAtMs - MINUTE_MS, last.answeredAtMs];
    // Requests certainly let in during the minute before the last one.
    const count = passed.filter(
      ({ sentAtMs, answeredAtMs }) => sentAtMs >= fromMs && answeredAtMs <= untilMs,
    ).length;
    const forgetful = storeDeaths.filter(
      (death) => death.fromMs <= untilMs && death.untilMs >= fromMs,
    ).length;
    const most = LIMIT_OF_MINUTE * (1 + forgetful);
    return count <= most ? [] : [`${count} requests passed in a minute, ${most} may`];
  });
  return problems.slice(0, 1);
}
