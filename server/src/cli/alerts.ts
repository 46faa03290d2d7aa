/** `ticklake alerts`: what needs an owner now, as far as the home tells. */

import { printableLine } from '../base/printable.ts';
import { openCatalog } from '../open-services.ts';
import { alertState, alertsOf } from '../operation/alerts.ts';
import type { Command, CommandContext } from './command.ts';
import { openHome } from './opened-home.ts';
import { alignedTable, left } from './text.ts';

const TABLE = ['SEVERITY', 'SINCE', 'ALERT'].map(left);

async function run(context: CommandContext) {
  const { config, clock } = context;
  const catalog = openCatalog(config.home);
  const home = await openHome(context);
  const found = await alertState({ ...home, catalog, config }, null, clock.now());
  const alerts = alertsOf(found);
  const rows = alerts.map(({ severity, since, text }) => [
    severity,
    since ?? '-',
    printableLine(text),
  ]);
  const text = rows.length === 0 ? 'Nothing needs your attention.\n' : alignedTable(TABLE, rows);
  return { value: { alerts }, text };
}

export const alerts: Command = {
  name: ['alerts'],
  summary:
    'list what needs an owner: failed and late datasets, the disk, backups, refused requests',
  usage: '',
  options: {},
  run,
};
