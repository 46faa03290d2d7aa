/** `ticklake definitions reload`: has a running server read its definitions again. */
import { UsageError } from '../base/errors.ts';
import { tryLockFile } from '../installed.ts';
import { askForReload } from '../operation/definition-reload.ts';
import { type Command, refuseArguments } from './command.ts';
import { EXIT } from './exit-codes.ts';

export const reloadDefinitionsCommand: Command = {
  name: ['definitions', 'reload'],
  summary: 'have the running server read its dataset definitions again',
  usage: '',
  options: {},
  run: async ({ config }, _values, positionals) => {
    refuseArguments('definitions reload', positionals);
    const { datasetCount, faults } = await askForReload(config.home, tryLockFile);
    if (faults.length > 0) {
      throw new UsageError([...faults, 'the server goes on with the definitions that it had']);
    }
    const text = `The server has taken over the definitions; it offers ${datasetCount} datasets.\n`;
    return { value: { datasetCount }, text, exitCode: EXIT.done };
  },
};
