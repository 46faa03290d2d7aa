/** `ticklake lake claim` and `ticklake lake sweep`: whose the parts of a lake are, and which of them nobody needs. */
import { counted } from '../base/printable.ts';
import { noteAct } from './audited-act.ts';
import { type Command, refuseArguments } from './command.ts';
import { EXIT } from './exit-codes.ts';
import { withLake } from './with-lake.ts';

const claim: Command = {
  name: ['lake', 'claim'],
  summary: "make the parts of the lake this store's own, whoever had them",
  usage: '',
  options: {},
  run: async (context, _values, words) => {
    refuseArguments('lake claim', words);
    const { epoch, takenFrom } = await withLake(context, async (lake, store) => {
      const made = await lake.owner.claim();
      if (made.takenFrom) await noteAct(store, context, 'claimLake', made);
      return made;
    });
    const text = takenFrom
      ? `The parts are this store's from now on, epoch ${epoch}; the store of epoch ${takenFrom.epoch} only reads them.\n`
      : `The parts are this store's already, epoch ${epoch}.\n`;
    return { value: { epoch, takenFrom }, text, exitCode: EXIT.done };
  },
};

const sweep: Command = {
  name: ['lake', 'sweep'],
  summary: 'remove parts that no version has, once nobody reads them any more',
  usage: '',
  options: { 'dry-run': { type: 'boolean', description: 'only list what would be removed' } },
  run: async (context, values, words) => {
    refuseArguments('lake sweep', words);
    const isDryRun = values['dry-run'] === true;
    const asked = { isDryRun, signal: context.signal };
    const found = await withLake(context, (lake) => lake.publisher.sweep(asked));
    const { pending, retired } = found;
    const lines = [
      ...pending.map((location) => `${location}: of a load that came to nothing`),
      ...retired.map((location) => `${location}: of versions that are dropped`),
      `${isDryRun ? 'Would remove' : 'Removed'} ${counted(pending.length + retired.length, 'part')}.`,
    ];
    return { value: found, text: lines.map((line) => `${line}\n`).join(''), exitCode: EXIT.done };
  },
};

export const LAKE_COMMANDS: readonly Command[] = [claim, sweep];
