/** An upgrade of three servers behind a load balancer, one after the other, while clients read. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { demoKeyFile } from '@ticklake/demo/demo-home.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PostgresDatabase } from '../../src/store/postgres/database.ts';
import { migrate } from '../../src/store/postgres/migrations.ts';
import { CONTROL_PART } from '../../src/store/postgres/schema.ts';
import { areSharedPlacesMissing, SharedPlaces } from '../objects/shared-places.ts';
import { type Home, makeHome, ROWS_PATH } from '../operation/server-process.ts';
import { BalancedServers, isBalancerMissing } from './balanced-servers.ts';

const NODES = 3;
const CLIENTS = 8;
const PATHS = [
  `${ROWS_PATH}?period=20Y`,
  `${ROWS_PATH}?period=20Y&sort=-Ticker&limit=20&response_format=csv`,
  `${ROWS_PATH}?period=20Y&limit=30&response_format=arrow`,
];
/** A next release may add to the tables that this one uses. */
const ADDITION = 'ALTER TABLE ticklake.identity ADD COLUMN of_a_newer_release text';
const REMOVAL = 'ALTER TABLE ticklake.identity DROP COLUMN of_a_newer_release';

describe.skipIf(areSharedPlacesMissing || isBalancerMissing())(
  'an upgrade of three servers',
  () => {
    let places: SharedPlaces;
    let home: Home;
    let balanced: BalancedServers;

    beforeAll(async () => {
      places = await SharedPlaces.start('rolling/lake');
      home = await makeHome(50, 5);
      balanced = await BalancedServers.start(NODES);
    });
    afterAll(async () => {
      await balanced.end('SIGTERM');
      await places.stop();
      home.remove();
    });

    const answer = async (path: string): Promise<string> => {
      const key = readFileSync(demoKeyFile(home.path), 'utf8').trim();
      const given = await fetch(`${balanced.url}${path}`, { headers: { 'x-api-key': key } });
      const digest = createHash('sha256').update(Buffer.from(await given.arrayBuffer()));
      return `${given.status} ${given.headers.get('etag')} ${digest.digest('hex')}`;
    };

    /** Different answers to the same request while `work` goes on. */
    async function readDuring(work: () => Promise<void>) {
      let isOver = false;
      let count = 0;
      const seen = PATHS.map(() => new Set<string>());
      const read = async (client: number) => {
        for (let at = client; !isOver; at = (at + 1) % PATHS.length) {
          seen[at % PATHS.length]?.add(await answer(PATHS[at % PATHS.length] as string));
          count++;
        }
      };
      const clients = Promise.all(Array.from({ length: CLIENTS }, (_, at) => read(at)));
      await expect.poll(() => count).toBeGreaterThan(0);
      await work().finally(() => {
        isOver = true;
      });
      await clients;
      return seen.map((answers) => [...answers]);
    }

    it('fails no request and changes no byte while each is stopped and started', async () => {
      const before = await Promise.all(PATHS.map(answer));
      for (const text of before) expect(text).toMatch(/^200 /);
      const seen = await readDuring(async () => {
        for (let at = 0; at < NODES; at++) expect(await balanced.restart(at)).toBe(0);
      });
      expect(seen).toEqual(before.map((text) => [text]));
    });

    it('has servers go on beside tables that a newer release added to', async () => {
      const before = await Promise.all(PATHS.map(answer));
      const owner = new PostgresDatabase(places.postgres.address(places.database));
      const { scripts } = CONTROL_PART;
      const seen = await readDuring(async () => {
        await migrate(owner, { ...CONTROL_PART, scripts: [...scripts, ADDITION] });
        for (let round = 0; round < 20; round++) await Promise.all(PATHS.map(answer));
      });
      await owner.close();
      expect(seen).toEqual(before.map((text) => [text]));
    });

    it('starts a server beside them, and none where the newer release took away what it needs', async () => {
      expect(await balanced.restart(0)).toBe(0);
      expect(await answer(PATHS[0] as string)).toMatch(/^200 /);
      const owner = new PostgresDatabase(places.postgres.address(places.database));
      const scripts = [...CONTROL_PART.scripts, ADDITION, REMOVAL];
      await migrate(owner, { ...CONTROL_PART, scripts, usableFrom: scripts.length });
      await owner.close();
      await expect(balanced.restart(0)).rejects.toThrow(
        /was written by a newer release \(schema \d+ of its control tables/,
      );
      expect(await answer(PATHS[0] as string)).toMatch(/^200 /);
    });
  },
);
