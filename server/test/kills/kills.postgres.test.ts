/** The store and the index in PostgreSQL, parts in a folder that the nodes share. */
import { describe } from 'vitest';
import { isPostgresMissing } from '../postgres/start-postgres.ts';
import { describeKills } from './kill-suite.ts';
import { PostgresPlace } from './postgres-place.ts';

if (isPostgresMissing()) describe.skip('kills over PostgreSQL', () => undefined);
else describeKills('two nodes over PostgreSQL and a shared folder', new PostgresPlace());
