/** Faults that somebody could make, each with the tests that have to notice it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Fault } from './try-faults.ts';

interface NamedFault {
  readonly name: string;
  readonly file: string;
  /** Text that stands in the file exactly once. */
  readonly find: string;
  readonly replace: string;
  readonly tests: readonly string[];
}

const NAMED_FAULTS: readonly NamedFault[] = [
  {
    name: 'a link that never expires',
    file: 'server/src/routes/request-ticket.ts',
    find: 'if (ticket.expiresAtMs > nowMs) return ticket;',
    replace: 'if (ticket.expiresAtMs > 0) return ticket;',
    tests: ['server/test/delivery/bulk.test.ts'],
  },
  {
    name: 'a link to a file outside of the rules of now',
    file: 'server/src/routes/file-endpoint.ts',
    find: 'const filePlan = planFiles(plan).find(isTheOne);',
    replace: 'const filePlan = planFiles(plan).find(isTheOne) ?? planFiles(plan)[0];',
    tests: ['server/test/delivery/bulk.test.ts'],
  },
  {
    name: 'a file made for somebody who lost the rules while waiting',
    file: 'server/src/routes/file-endpoint.ts',
    find: '      await planFile({ ...exchange, caller }, asked, ticket);\n',
    replace: '',
    tests: ['server/test/delivery/left-downloads.test.ts'],
  },
  {
    name: 'bytes of a download that count for nothing',
    file: 'server/src/routes/send-stored.ts',
    find: 'sending.sentBytes += byteCount;',
    replace: '',
    tests: ['server/test/delivery/bulk.test.ts'],
  },
  {
    name: 'a download that is not reserved',
    file: 'server/src/routes/send-stored.ts',
    find: 'services.usage.reserveBytes(account.identityId, byteCount)',
    replace: 'NONE_RESERVED',
    tests: ['server/test/delivery/bulk.test.ts'],
  },
  {
    name: 'a range that answers with one byte more',
    file: 'server/src/delivery/byte-range.ts',
    find: 'Math.min(Number(last) + 1, byteCount)',
    replace: 'Math.min(Number(last) + 2, byteCount)',
    tests: ['server/src/delivery/byte-range.test.ts'],
  },
  {
    name: 'a redirect that takes the key along',
    file: 'client/src/transport.ts',
    find: "redirect: isKeyed ? 'manual' : 'follow'",
    replace: "redirect: 'follow'",
    tests: ['client/test/faults.test.ts'],
  },
  {
    name: 'a file of another server that is asked for with the key',
    file: 'client/src/transport.ts',
    find: "const own = isKeyed ? { 'X-API-KEY': key } : {};",
    replace: "const own = { 'X-API-KEY': key };",
    tests: ['client/test/files.test.ts'],
  },
  {
    name: 'a presigned URL that any time would do for',
    file: 'server/src/engine/duckdb/objects/direct-files.ts',
    find: "const request = ['GET', pathname, query,",
    replace: "const request = ['GET', pathname, '',",
    tests: ['server/src/engine/duckdb/objects/direct-files.test.ts'],
  },
  {
    name: 'If-Range left to the proxy',
    file: 'server/src/routes/send-file.ts',
    find: 'if (!proxyFiles || hasCondition) return null;',
    replace: 'if (!proxyFiles) return null;',
    tests: ['server/test/delivery/bulk.test.ts'],
  },
  {
    name: 'a file of a walk that is removed under its readers, and counted off twice',
    file: 'server/src/engine/duckdb/reading/walk-spills.ts',
    find: 'if (!spill.isDropped || spill.readerCount > 0) return;',
    replace: 'if (!spill.isDropped) return;',
    tests: ['server/src/engine/duckdb/reading/walk-spills.test.ts'],
  },
  {
    name: 'a walk that was given up once and never gets a file again',
    file: 'server/src/engine/duckdb/reading/walk-spills.ts',
    find: 'if (!abort.signal.aborted || abort.signal.reason === TOO_LARGE) this.#refused.set(key, true);',
    replace: 'this.#refused.set(key, true);',
    tests: ['server/src/engine/duckdb/reading/walk-spills.test.ts'],
  },
  {
    name: 'an interrupted connection that is used again',
    file: 'server/src/engine/duckdb/reading/query-connections.ts',
    find: 'isInterrupted || this.#idle.length',
    replace: 'this.#idle.length',
    tests: ['server/src/engine/duckdb/reading/query-connections.test.ts'],
  },
  {
    name: 'a walk of just as many rows as it may have that gets no file',
    file: 'server/src/engine/duckdb/reading/sorted-pages.ts',
    find: 'Number(count) > this.#rowsMax',
    replace: 'Number(count) >= this.#rowsMax',
    tests: ['server/test/walk/sorted-walk.test.ts'],
  },
  {
    name: 'turns without a bound',
    file: 'server/src/base/semaphore.ts',
    find: 'const isFree = this.#runningCount < this.#runningMax;',
    replace: 'const isFree = true;',
    tests: ['server/src/base/semaphore.test.ts'],
  },
  {
    name: 'a client that went away, recorded as a time limit',
    file: 'server/src/routes/in-turn.ts',
    find: 'timeout.aborted && !gone.signal.aborted',
    replace: 'timeout.aborted || gone.signal.aborted',
    tests: ['server/test/quota/bursts.test.ts', 'server/test/operation/operation-pages.test.ts'],
  },
  {
    name: 'hits and misses of the page cache, swapped',
    file: 'server/src/operation/metrics-page.ts',
    find: "[pages.hitCount, { result: 'hit' }]",
    replace: "[pages.missCount, { result: 'hit' }]",
    tests: ['server/test/operation/operation-pages.test.ts'],
  },
  {
    name: 'a stop that does not wait for running queries',
    file: 'server/src/operation/stop-serving.ts',
    find: 'if (gate.runningCount === 0) return;',
    replace: 'return;',
    tests: ['server/src/operation/stop-serving.test.ts'],
  },
  {
    name: 'an operation that is done though the audit log did not take it',
    file: 'server/src/admin/operation.ts',
    find: 'operation: name, ...change });',
    replace: 'operation: name, ...change }).catch(() => undefined);',
    tests: ['server/test/admin/failing-audit.test.ts'],
  },
  {
    name: 'connections that stay open after their last answer',
    file: 'server/src/operation/open-connections.ts',
    find: '    else if (this.#isClosing) connection.socket.destroySoon();\n',
    replace: '',
    tests: [
      'server/test/operation/open-connections.test.ts',
      'server/test/operation/stop.long.test.ts',
    ],
  },
  {
    name: 'connections that come while the server closes',
    file: 'server/src/operation/open-connections.ts',
    find: 'if (this.#isClosing) socket.destroy();\n    else if',
    replace: 'if',
    tests: ['server/test/operation/open-connections.test.ts'],
  },
  {
    name: 'a sign-in that asks only before the password is checked',
    file: 'server/src/routes/session-endpoints.ts',
    find: 'if (!isSame || !mayBeSignedIn(current, await accountOf(tx, current))) {',
    replace: 'if (!isSame) {',
    tests: ['server/test/people/sign-in-attack.test.ts'],
  },
  {
    name: 'a vendor that is lost by a publication without one',
    file: 'server/src/lake/publish.ts',
    find: 'return current?.vendors ?? datasetVendors;',
    replace: 'return [];',
    tests: ['server/test/lake/publication.test.ts'],
  },
  {
    name: 'the earliest reset of two used-up limits',
    file: 'server/src/routes/request-tally.ts',
    find: 'Math.max(...clearsAtMs)',
    replace: 'Math.min(...clearsAtMs)',
    tests: ['server/test/quota/quotas.test.ts', 'server/test/quota/bursts.test.ts'],
  },
  {
    name: 'a failing store that is retried without a wait',
    file: 'server/src/quota/usage-writer.ts',
    find: 'storedCount === FLUSH_RECORDS ? 0 : FLUSH_INTERVAL_MS',
    replace: '0',
    tests: ['server/src/quota/usage-writer.test.ts'],
  },
  {
    name: 'failed sign-ins that outlive a clock set back',
    file: 'server/src/base/rate-limit.ts',
    find: '(window?.lastMs ?? nowMs) - nowMs < WINDOW_MS ? window : undefined',
    replace: 'window',
    tests: ['server/src/access/sign-in-attempts.test.ts'],
  },
  {
    name: 'a minute that outlives a clock set back',
    file: 'server/src/quota/usage-counters.ts',
    find: '!known || nowMs < known.seenAtMs - WINDOW_MS',
    replace: '!known',
    tests: ['server/src/quota/usage-counters.test.ts'],
  },
  {
    name: 'idle accounts that outlive a clock set back',
    file: 'server/src/quota/usage-counters.ts',
    find: 'Math.abs(nowMs - seenAtMs) >= IDLE_MS',
    replace: 'nowMs - seenAtMs >= IDLE_MS',
    tests: ['server/src/quota/usage-counters.test.ts'],
  },
  {
    name: 'gamma without the dividend yield',
    file: 'market/src/black-scholes.ts',
    find: 'gamma: (carry * normalDensity(d1))',
    replace: 'gamma: normalDensity(d1)',
    tests: ['market/src/option-value.test.ts'],
  },
  {
    name: 'gamma of an American option without what the slope of interest adds',
    file: 'market/src/early-exercise.ts',
    find: '(minus / deviation + 1)',
    replace: '(minus / deviation)',
    tests: ['market/src/option-value.test.ts'],
  },
  {
    name: 'a reduction of capital that leaves the volumes as they were',
    file: 'market/src/adjustment.ts',
    find: "  'CapReduct',\n",
    replace: '',
    tests: ['market/src/adjustment.test.ts'],
  },
  {
    name: 'rows adjusted as of a date by events that came later',
    file: 'market/src/adjustment.ts',
    find: '  if (asOf !== null && effectiveDate > asOf) return false;\n',
    replace: '',
    tests: ['market/src/adjustment.test.ts'],
  },
  {
    name: 'a page kept under another version of the factors',
    file: 'server/src/engine/plan-fingerprint.ts',
    find: ', factors: rowsFingerprint(factors) }',
    replace: ' }',
    tests: ['server/test/adjustments/requests.test.ts'],
  },
  {
    name: 'rows adjusted on request by the universe of the raw dataset alone',
    file: 'server/src/plan/common-rules.ts',
    find: 'return common.length > 0 ? common : null;',
    replace: 'return one;',
    tests: ['server/test/adjustments/requests.test.ts'],
  },
  {
    name: 'rows adjusted by the factors of some securities',
    file: 'server/src/plan/common-rules.ts',
    find: '      universe.length === 0 &&\n',
    replace: '',
    tests: ['server/test/adjustments/requests.test.ts'],
  },
  {
    name: 'Juneteenth a year early',
    file: 'market/src/calendar.ts',
    find: 'year < 2022',
    replace: 'year < 2021',
    tests: ['market/src/calendar.test.ts'],
  },
  {
    name: 'allow-lists that are told apart by their joined texts alone',
    file: 'server/src/access/ip-allow-list.ts',
    find: 'subnets.join()',
    replace: "subnets.join('')",
    tests: ['server/src/access/ip-allow-list.test.ts'],
  },
  {
    name: 'a carriage return that is not quoted in CSV',
    file: 'server/src/formats/csv.ts',
    find: '[",\\n\\r]',
    replace: '[",\\n]',
    tests: ['server/src/formats/row-bytes.test.ts'],
  },
  {
    name: "a page's tag without the time zone",
    file: 'server/src/response/page-cache.ts',
    find: '[format, dataset.timeZone, ',
    replace: '[format, ',
    tests: ['server/src/response/page-tag.test.ts'],
  },
];

/** Throws where the text of a fault is not in its file, or more than once. */
export function namedFaults(root: string): Fault[] {
  return NAMED_FAULTS.map(({ name, file, find, replace, tests }) => {
    const source = readFileSync(join(root, file), 'utf8');
    const parts = source.split(find);
    if (parts.length !== 2) {
      throw new Error(`"${name}": its text is in ${file} ${parts.length - 1} times, not once`);
    }
    return {
      file,
      line: find,
      lineNumber: (parts[0] as string).split('\n').length,
      change: name,
      source,
      text: parts.join(replace),
      tests,
    };
  });
}
