/** `ticklake alerts`: what needs an owner now, as far as the home tells. */

import { printableLine } from '../base/printable.ts';
import { openCatalog } from '../open-services.ts';
import { alertState, alertsOf, alertViews } from '../operation/alerts.ts';
import {
  type Command,
  type CommandContext,
  type OptionValues,
  refuseArguments,
} from './command.ts';
import { alignedTable } from './text.ts';
import { withLake } from './with-lake.ts';

const TABLE = ['SEVERITY', 'SINCE', 'ALERT'].map((title) => ({ title, align: 'left' as const }));

async function run(context: CommandContext, _values: OptionValues, positionals: readonly string[]) {
  refuseArguments('alerts', positionals);
  const { config, clock } = context;
  const catalog = openCatalog(config.home);
  const found = await withLake(context, (lake, store) =>
    alertState({ store, lake, catalog, config }, null, clock.now()),
  );
  const alerts = alertViews(alertsOf(found));
  const rows = alerts.map(({ severity, since, text }) => [
    severity,
    since ?? '-',
    printableLine(text),
  ]);
  const text = rows.length === 0 ? 'Nothing needs your attention.\n' : alignedTable(TABLE, rows);
  return { value: { alerts }, text, exitCode: 0 as const };
}

export const alerts: Command = {
  name: ['alerts'],
  summary:
    'list what needs an owner: failed and late datasets, the disk, backups, refused requests',
  usage: '',
  options: {},
  run,
};
