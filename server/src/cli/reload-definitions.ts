/** `ticklake definitions reload`: has a running server read its definitions again. */
import { counted } from '../base/counted.ts';
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
      throw new UsageError([...faults, 'the server keeps using its earlier definitions']);
    }
    const text = `The server now uses the new definitions; it offers ${counted(datasetCount, 'dataset')}.\n`;
    return { value: { datasetCount }, text, exitCode: EXIT.done };
  },
};
