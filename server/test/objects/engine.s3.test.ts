import { afterAll, beforeAll, describe } from 'vitest';
import { describeEngine } from '../../src/engine/conformance/suite.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { ENGINE_DEFAULTS, INSTALLED_ENGINE } from '../../src/installed.ts';
import { SAMPLED_SHARE } from '../repetitions.ts';
import { objectStoreProblem, TestObjectStore } from './start-object-store.ts';

let store: TestObjectStore;
let homeOfLake: string | null = null;

/** The lake of the first home lies in object storage; what is copied from it goes to folders. */
const OVER_OBJECTS: Engine<Parameters<typeof INSTALLED_ENGINE.openReader>[0]> = {
  ...INSTALLED_ENGINE,
  openReader: (config) => INSTALLED_ENGINE.openReader({ ...config, ...lakeOf(config.home) }),
  openStorage: (config, tryLock) =>
    INSTALLED_ENGINE.openStorage({ ...config, ...lakeOf(config.home) }, tryLock),
};

function lakeOf(home: string) {
  homeOfLake ??= home;
  return home === homeOfLake ? store.settings('conformance/engine') : {};
}

describe.skipIf(objectStoreProblem() !== null)('over object storage', () => {
  beforeAll(async () => {
    store = await TestObjectStore.start();
  });
  afterAll(() => store.stop());

  const settings = { ...ENGINE_DEFAULTS, queriesMax: 3 };
  // A bucket answers each case more slowly than a folder does.
  describeEngine('the engine', OVER_OBJECTS, settings, { share: SAMPLED_SHARE });
});
