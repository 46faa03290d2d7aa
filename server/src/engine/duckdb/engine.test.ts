import { DEFAULT_DISK_LIMITS } from '../../base/budgets.ts';
import { defaultsOf } from '../../schema/setting.ts';
import { describeEngine } from '../conformance/suite.ts';
import { DUCKDB_ENGINE } from './engine.ts';
import { DUCKDB_SETTINGS, READING_LIMITS } from './settings.ts';

const settings = {
  ...defaultsOf(DUCKDB_SETTINGS),
  ...READING_LIMITS,
  ...DEFAULT_DISK_LIMITS,
  queriesMax: 3,
};
// Half of the random cases find what all of them do; the nightly ones are many more.
describeEngine('the engine', DUCKDB_ENGINE, settings, { share: 1 / 2 });
