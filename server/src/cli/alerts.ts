/** `ticklake alerts`: what needs an owner now, as far as the home tells. */

import { UsageError } from '../base/errors.ts';
import { printableLine } from '../base/printable.ts';
import { findControlStore, openControlStore, openLake } from '../open-home.ts';
import { openCatalog } from '../open-services.ts';
import { alertViews } from '../operation/alert-answers.ts';
import { alertState } from '../operation/alert-state.ts';
import { alertsOf } from '../operation/alerts.ts';
import {
  type Command,
  type CommandContext,
  type OptionValues,
  refuseArguments,
} from './command.ts';
import { alignedTable } from './table-text.ts';

const TABLE = ['SEVERITY', 'SINCE', 'ALERT'].map((title) => ({ title, align: 'left' as const }));

async function run(context: CommandContext, _values: OptionValues, positionals: readonly string[]) {
  refuseArguments('alerts', positionals);
  const { config, clock } = context;
  const { exists, path } = findControlStore(config);
  if (!exists)
    throw new UsageError(`there is no store at ${path}; run ticklake init to create one`);
  const catalog = openCatalog(config.home, config.definitions);
  const store = await openControlStore(config);
  try {
    const lake = await openLake(config, clock);
    try {
      const found = await alertState({ store, lake, catalog, config }, null, clock.now());
      const alerts = alertViews(alertsOf(found));
      const rows = alerts.map(({ severity, since, text }) => [
        severity,
        since ?? '-',
        printableLine(text),
      ]);
      const text =
        rows.length === 0 ? 'Nothing needs your attention.\n' : alignedTable(TABLE, rows);
      return { value: { alerts }, text, exitCode: 0 as const };
    } finally {
      await lake.close();
    }
  } finally {
    await store.close();
  }
}

export const alerts: Command = {
  name: ['alerts'],
  summary:
    'list what needs an owner: failed and late datasets, the disk, backups, refused requests',
  usage: '',
  options: {},
  run,
};
