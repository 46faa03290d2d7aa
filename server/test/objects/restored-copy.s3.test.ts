/** A dump of PostgreSQL that is restored beside production, over one prefix of object storage. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, it } from 'vitest';
import { readConfig } from '../../src/settings/config.ts';
import { drill } from '../lake/restored-copy.ts';
import { placeEnvironment } from '../place-of-tests.ts';
import { areSharedPlacesMissing, SharedPlaces } from './shared-places.ts';

describe.skipIf(areSharedPlacesMissing)('a dump that is taken during a load', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ticklake-restored-'));
  let places: SharedPlaces;
  afterAll(async () => {
    await places?.stop();
    rmSync(folder, { recursive: true });
  });

  const configOf = (name: string, database: string) => {
    const home = join(folder, name);
    mkdirSync(home);
    const env = { ...placeEnvironment(), TICKLAKE_STORE: places.postgres.url(database) };
    return readConfig({ ...env, TICKLAKE_HOME: home });
  };

  it('leaves every byte of production where it is restored beside it', async () => {
    places = await SharedPlaces.start('restored/lake');
    const { postgres, database } = places;
    await drill({
      production: configOf('production', database),
      copy: async () => configOf('restored', await postgres.copyDatabase(database)),
      partsFolder: join(places.bucketFolder, 'restored/lake'),
    });
  });
});
