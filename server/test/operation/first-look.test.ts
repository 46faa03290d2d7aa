/** A server that has not looked at all of its files since it was started, as it shows over HTTP. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { LAKE_INDEX_FILE } from '../../src/base/home-layout.ts';
import type { CellValue } from '../../src/engine/columns.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { openOperationListener } from '../../src/routes/operation-listener.ts';
import { plainEngine } from '../engine/plain-engine.ts';
import { eventually } from '../eventually.ts';
import { openTestService } from '../harness.ts';

/** More than a start waits for. */
const PART_COUNT = 1100;
const DATES = Array.from({ length: PART_COUNT }, (_, day) =>
  new Date(Date.UTC(2020, 0, 1 + day)).toISOString().slice(0, 10),
);
const [FIRST_DATE, LAST_DATE] = [DATES[0], DATES.at(-1)];
const NOTE = 'lake: not all of its files have been looked at yet';

/** A home with the index of a part for each date. */
let home: string;
let url: string;
let operationUrl: string;
let owner: Record<string, string>;
let endLook: () => void;
let close = async () => {};

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'ticklake-lake-'));
  const before = await openTestService({}, plainEngine());
  const { columns } = before.dataset('eq_trades');
  const rows = DATES.map((date) =>
    columns.map(({ name, dataType }): CellValue => {
      if (name === 'TradeDate') return date;
      return dataType === 'string' ? 'AAA' : 1;
    }),
  );
  await before.publish('eq_trades', rows);
  await before.close((made) => cpSync(join(made, LAKE_INDEX_FILE), join(home, LAKE_INDEX_FILE)));
});
afterEach(() => close());
afterAll(() => rmSync(home, { recursive: true }));

/** Misses the parts of some dates, and holds the look at the part of the last one. */
function heldEngine(missing: readonly (string | undefined)[], released: Promise<void>): Engine {
  const engine = plainEngine();
  const findDamage = async ({ location }: { readonly location: string }) => {
    const [, date] = location.split(' ');
    if (date === LAST_DATE) await released;
    return missing.includes(date) ? `the file of ${date} is missing` : null;
  };
  return {
    ...engine,
    openStorage: (...given) => ({ ...engine.openStorage(...given), findDamage }),
  };
}

async function start(missing: readonly (string | undefined)[]): Promise<void> {
  const { promise: released, resolve } = Promise.withResolvers<void>();
  endLook = resolve;
  const service = await openTestService({ operationPort: 0 }, heldEngine(missing, released), home);
  owner = await service.sessionOf(await service.addPerson('owner', null));
  url = await service.app.listen({ host: '127.0.0.1', port: 0 });
  const operation = await openOperationListener(service.services, () => 'ok');
  operationUrl = operation?.url ?? '';
  close = async () => {
    resolve();
    await operation?.close();
    await service.close();
  };
}

async function ask<T>(address: string): Promise<T> {
  return (await (await fetch(address, { headers: owner })).json()) as T;
}

type ReadyLines = Record<'problems' | 'warnings' | 'notes', string[]>;

/** Lines about the lake, and numbers of damaged parts. */
async function shown() {
  const { problems, warnings, notes } = await ask<ReadyLines>(`${operationUrl}/readyz`);
  const alerts = await ask<{ readonly text: string }[]>(`${url}/v1/admin/alerts`);
  const metrics = await (await fetch(`${operationUrl}/metrics`)).text();
  const ofLake = (lines: readonly string[]) => lines.filter((line) => /^lake: /i.test(line));
  return {
    ...{ problems: ofLake(problems), warnings: ofLake(warnings), notes: ofLake(notes) },
    alerts: ofLake(alerts.map(({ text }) => text)),
    damagedParts: metrics.match(/^ticklake_damaged_parts\{.*$/gm) ?? [],
  };
}

/** Lines of the metrics. */
const damagedParts = (current: number) => [
  `ticklake_damaged_parts{versions="current"} ${current}`,
  'ticklake_damaged_parts{versions="earlier"} 0',
];
const NOTHING = { problems: [], warnings: [], notes: [], alerts: [] };

it('files that have not been looked at are a note, and neither a warning nor an alert', async () => {
  await start([]);
  await eventually(async () =>
    expect(await shown()).toEqual({ ...NOTHING, notes: [NOTE], damagedParts: [] }),
  );
  endLook();
  await eventually(async () =>
    expect(await shown()).toEqual({ ...NOTHING, damagedParts: damagedParts(0) }),
  );
});

it('damage is told and counted as soon as it is found', async () => {
  await start([FIRST_DATE, LAST_DATE]);
  const text = `the file of ${FIRST_DATE} is missing`;
  const damaged = { ...NOTHING, problems: [`lake: ${text}`], alerts: [`Lake: ${text}`] };
  await eventually(async () =>
    expect(await shown()).toEqual({ ...damaged, notes: [NOTE], damagedParts: damagedParts(1) }),
  );
  endLook();
  await eventually(async () =>
    expect(await shown()).toEqual({ ...damaged, damagedParts: damagedParts(2) }),
  );
});
