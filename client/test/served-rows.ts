/** A service with rows of every kind of value, which listens on a real socket. */
import type { AddressInfo } from 'node:net';
import type { CellValue } from '../../server/src/engine/columns.ts';
import { openContractService } from '../../server/test/contract/fixture.ts';
import type { TestService } from '../../server/test/harness.ts';

/** For clients whose warnings would only fill the output: they have tests of their own. */
export const silent = { warn: () => undefined };

const HALTED = BigInt(Date.parse('2025-06-18T14:00:00Z')) * 1_000_000n;

/** Trading halts: texts with quotes, commas and line ends among them, and missing values. */
export function haltRows(count: number, salt = 0): CellValue[][] {
  return Array.from({ length: count }, (_, at) => [
    '2025-06-18',
    `T${String(at).padStart(5, '0')}`,
    at,
    9_007_199_254_740_993n + BigInt(at),
    [`Plain ${at}`, `With "quotes", ${at}`, `Two\nlines ${at}`, ''][at % 4] as string,
    'NYSE',
    HALTED + BigInt(at) * 1_000_000_000n,
    'LUDP',
    at % 5 === 0 ? null : at / 8 + salt,
    null,
    at % 3 === 0 ? null : HALTED + 60_000_000_000n,
  ]);
}

export interface ServedRows {
  readonly service: TestService;
  readonly url: string;
}

export async function serveRows(
  rowCount: number,
  settings?: Parameters<typeof openContractService>[0],
): Promise<ServedRows> {
  const service = await openContractService(settings);
  await service.publish('eq_trading_halts', haltRows(rowCount));
  await service.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = service.app.server.address() as AddressInfo;
  return { service, url: `http://127.0.0.1:${port}` };
}
