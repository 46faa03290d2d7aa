/** `ticklake lake claim` and `ticklake lake sweep`: whose the parts of a lake are, and which of them nobody needs. */
import { counted } from '../base/counted.ts';
import { UsageError } from '../base/errors.ts';
import type { Lake } from '../lake/lake.ts';
import { findControlStore, openControlStore, openLake } from '../open-home.ts';
import type { ControlStore } from '../store/control-store.ts';
import { noteAct } from './audited-act.ts';
import { type Command, type CommandContext, refuseArguments } from './command.ts';
import { EXIT } from './exit-codes.ts';

type Work<T> = (lake: Lake, store: ControlStore) => Promise<T>;

/** A mistyped home is not made. */
async function onLake<T>({ config, clock }: CommandContext, work: Work<T>): Promise<T> {
  const { exists, path } = findControlStore(config);
  if (!exists) throw new UsageError(`there is no store at ${path}; name another home with --home`);
  const store = await openControlStore(config);
  try {
    const lake = await openLake(config, clock);
    return await work(lake, store).finally(() => lake.close());
  } finally {
    await store.close();
  }
}

const claim: Command = {
  name: ['lake', 'claim'],
  summary: "make the parts of the lake this store's own, whoever had them",
  usage: '',
  options: {},
  run: async (context, _values, words) => {
    refuseArguments('lake claim', words);
    const claimed = await onLake(context, async (lake, store) => {
      const made = await lake.owner.claim();
      if (made.takenFrom) await noteAct(store, context, 'claimLake', made);
      return made;
    });
    const { epoch, takenFrom } = claimed;
    const text = takenFrom
      ? `The parts are this store's from now on, epoch ${epoch}; the store of epoch ${takenFrom.epoch} only reads them.\n`
      : `The parts are this store's already, epoch ${epoch}.\n`;
    return { value: claimed, text, exitCode: EXIT.done };
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
    const { signal } = context;
    const found = await onLake(context, (lake) => lake.publisher.sweep({ isDryRun, signal }));
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
