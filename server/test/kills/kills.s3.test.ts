/** The store and index in PostgreSQL, parts in object storage; nodes keep nothing of their own. */
import { describe } from 'vitest';
import { objectStoreProblem } from '../objects/start-object-store.ts';
import { isPostgresMissing } from '../postgres/start-postgres.ts';
import { describeKills } from './kill-suite.ts';
import { ObjectPlace } from './object-place.ts';

if (objectStoreProblem() !== null || isPostgresMissing()) {
  describe.skip('kills over object storage', () => undefined);
} else describeKills('two nodes over PostgreSQL and object storage', new ObjectPlace());
