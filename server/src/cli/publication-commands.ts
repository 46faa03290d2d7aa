/** `ticklake publication …`: made from the table of operations on the lake. */

import { type LakeOperation, lakeValues, runOnLake } from '../admin/lake-operation.ts';
import { LAKE_OPERATIONS } from '../admin/lake-operations.ts';
import { UsageError } from '../base/errors.ts';
import { LOCAL_SOURCE, localActor } from '../base/local-actor.ts';
import { openCatalog } from '../open-services.ts';
import type { Command, CommandContext, OptionValues } from './command.ts';
import { EXIT } from './exit-codes.ts';
import { commandOptions, inputOf, usageError } from './operation-options.ts';
import { publicationText } from './publication-text.ts';
import { withLake } from './with-lake.ts';

/** The options that bare words stand for, by how many there are; one that takes any number. */
interface Arguments {
  readonly usage: string;
  readonly options: readonly (readonly string[])[];
  readonly takesMany?: string;
}

const ID: Arguments = { usage: '<id>', options: [['publication']] };
const NONE: Arguments = { usage: '', options: [] };

const ARGUMENTS: Readonly<Record<string, Arguments>> = {
  showPublicationRecord: ID,
  diffPublication: {
    usage: '<id> | <dataset> <from version> <to version>',
    options: [['publication'], ['dataset', 'from', 'to']],
  },
  rollBackPublication: { usage: '[<id>]', options: [['publication']] },
  withdrawRows: { usage: '<dataset>', options: [['dataset']] },
  beginPublication: { usage: '<dataset...>', options: [], takesMany: 'dataset' },
  commitPublication: ID,
  abandonPublication: ID,
  acknowledgePublication: ID,
};

function given(operation: LakeOperation, words: readonly string[]): OptionValues {
  if (words.length === 0) return {};
  const { options, takesMany, usage } = ARGUMENTS[operation.name] ?? NONE;
  if (takesMany !== undefined) return { [takesMany]: words };
  const names = options.find(({ length }) => length === words.length);
  if (names) return Object.fromEntries(names.map((name, at) => [name, words[at]]));
  const command = `ticklake ${operation.words.join(' ')}`;
  const legal = usage === '' ? 'no arguments' : usage;
  throw new UsageError(`${command} takes ${legal}, but was given ${words.join(' ')}`);
}

function withArguments(
  operation: LakeOperation,
  values: OptionValues,
  words: readonly string[],
): OptionValues {
  const named = given(operation, words);
  const twice = Object.keys(named).find((name) => values[name] !== undefined);
  if (twice === undefined) return { ...values, ...named };
  throw new UsageError(`--${twice} should not be given together with ${words.join(' ')}`);
}

async function runCommand(operation: LakeOperation, context: CommandContext, values: OptionValues) {
  const { config, clock, signal, stderr } = context;
  const catalog = openCatalog(config.home);
  const input = inputOf(operation, values);
  const onWait = () => void stderr.write('waiting until another publication has ended\n');
  const reading = { catalog, nowMs: clock.now() };
  const asked = lakeValues(operation, reading, input);
  return await withLake(context, async (lake, store) => {
    const by = { lake, policy: config, actor: localActor(), onWait, signal };
    return await runOnLake(operation, { ...reading, ...by }, asked, store, LOCAL_SOURCE);
  });
}

function commandOf(operation: LakeOperation): Command {
  const { name, words, summary } = operation;
  return {
    name: words,
    summary,
    usage: (ARGUMENTS[name] ?? NONE).usage,
    options: commandOptions(operation),
    run: async (context, values, positionals) => {
      const all = withArguments(operation, values, positionals);
      const { answer, hasEffect } = await runCommand(operation, context, all).catch(
        (error: unknown) => {
          throw usageError(operation, error);
        },
      );
      const exitCode = hasEffect ? EXIT.done : EXIT.nothingToDo;
      return { value: answer, text: publicationText(name, answer), exitCode };
    },
  };
}

export const PUBLICATION_COMMANDS: readonly Command[] = LAKE_OPERATIONS.map(commandOf);
