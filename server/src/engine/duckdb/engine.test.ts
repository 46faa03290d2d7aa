import { defaultsOf } from '../../schema/setting.ts';
import { describeEngine } from '../conformance/suite.ts';
import { DUCKDB_ENGINE } from './engine.ts';
import { DUCKDB_SETTINGS } from './settings.ts';

describeEngine('the engine', DUCKDB_ENGINE, { ...defaultsOf(DUCKDB_SETTINGS), queriesMax: 3 });
