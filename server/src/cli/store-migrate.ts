/** `ticklake store migrate`: brings the tables of a shared store up to date. */
import { UsageError } from '../base/errors.ts';
import { migrateSharedStore } from '../installed.ts';
import { type Command, refuseArguments } from './command.ts';
import { EXIT } from './exit-codes.ts';

export const storeMigrate: Command = {
  name: ['store', 'migrate'],
  summary: 'make the tables of the store that TICKLAKE_STORE names, or bring them up to date',
  usage: '',
  options: {},
  run: async ({ config }, _values, positionals) => {
    refuseArguments('store migrate', positionals);
    if (config.store === null) {
      throw new UsageError(
        'TICKLAKE_STORE names no database; a store in files of the home is brought up to date when it is opened',
      );
    }
    const parts = await migrateSharedStore(config.store);
    const schemas = Object.entries(parts).map(([name, schema]) => `${name} ${schema}`);
    const text = `The tables of the store are up to date: schema ${schemas.join(', ')}.\n`;
    return { value: { schemas: parts }, text, exitCode: EXIT.done };
  },
};
