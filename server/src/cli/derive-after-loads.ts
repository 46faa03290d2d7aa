/** What a load has made stale, derived right after it. */
import { UsageError } from '../base/errors.ts';
import type { Catalog } from '../catalog/dataset.ts';
import { dependentsOf } from '../derive/derivation-graph.ts';
import type { DerivationReport } from '../derive/derive.ts';
import { INSTALLED_ENGINE } from '../installed.ts';
import type { Lake } from '../lake/lake.ts';
import type { Config } from '../settings/config.ts';
import type { CommandContext, CommandResult, OptionValues } from './command.ts';
import { EXIT } from './exit-codes.ts';
import { runDerivation } from './run-derivation.ts';

export const DERIVE_OPTION = {
  derive: {
    type: 'boolean',
    description:
      'then derive what the load has made stale (default: the setting TICKLAKE_DERIVE_AFTER_LOADS)',
  },
} as const;

/** Throws a `UsageError` where what is loaded does not count yet. */
export function derivesAfterLoads(
  { derive, into }: OptionValues,
  { deriveAfterLoads }: Pick<Config, 'deriveAfterLoads'>,
): boolean {
  if (derive === true && into !== undefined) {
    throw new UsageError(
      '--into and --derive cannot be used together: derive when the publication is committed',
    );
  }
  return into === undefined && (derive === true || deriveAfterLoads === 'on');
}

type Derived = CommandResult & { readonly value: DerivationReport };

/** Null where nothing comes from the datasets. The load stands, whatever becomes of this. */
export async function deriveFrom(
  context: CommandContext,
  catalog: Catalog,
  lake: Lake,
  textIds: Iterable<string>,
): Promise<Derived | null> {
  const datasets = dependentsOf(catalog, textIds);
  if (datasets.length === 0) return null;
  const engine = await INSTALLED_ENGINE.openReader(context.config);
  try {
    return await runDerivation(context, {
      ...{ catalog, datasets, lake, engine, signal: context.signal },
      ...{ dates: null, isStaleOnly: true, replacesLoaded: false },
      reason: `after a load of ${[...textIds].toSorted().join(', ')}`,
      onSlice: () => undefined,
    });
  } finally {
    await engine.close();
  }
}

/** The end of a load, with that of the derivation after it; `isDue` says whether there is to be one. */
export async function thenDerive(
  isDue: boolean,
  loaded: CommandResult & { readonly value: object },
  derive: () => Promise<Derived | null>,
): Promise<CommandResult> {
  const derived = isDue && loaded.exitCode === EXIT.done ? await derive() : null;
  if (derived === null) return loaded;
  return {
    value: { ...loaded.value, derivation: derived.value },
    text: `${loaded.text}${derived.text}`,
    exitCode: derived.exitCode,
  };
}
