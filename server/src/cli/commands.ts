/** Every command, in the order in which help lists them. */
import { demo } from '@ticklake/demo/demo-command.ts';
import { accountImport } from './account-import.ts';
import { ADMIN_COMMANDS } from './admin-commands.ts';
import { backup, backupList, backupNote, backupVerify, restore } from './backup.ts';
import type { Command } from './command.ts';
import { deriveCommand } from './derive.ts';
import { engineCopy } from './engine-copy.ts';
import { datasetAdd } from './further.ts';
import { init } from './init.ts';
import { LAKE_COMMANDS } from './lake-commands.ts';
import { importLean, importMirror, ingest } from './load-commands.ts';
import { mcp } from './mcp.ts';
import { night } from './night.ts';
import { PUBLICATION_COMMANDS } from './publication-commands.ts';
import { rotateReceiptKey, verifyReceiptCommand } from './receipt.ts';
import { RECIPE_COMMANDS } from './recipe-commands.ts';
import { reloadDefinitionsCommand, serve } from './serve.ts';
import { get, mirror, sharingProfile } from './server-commands.ts';
import { alerts, datasets } from './state-commands.ts';
import { storeCopy, storeMigrate } from './store-commands.ts';
import { symbolsAssign } from './symbols.ts';
import { watch } from './watch.ts';
import { datasetWiden } from './widen.ts';

export const COMMANDS: readonly Command[] = [
  serve,
  demo,
  init,
  ingest,
  ...RECIPE_COMMANDS,
  watch,
  night,
  importLean,
  importMirror,
  symbolsAssign,
  deriveCommand,
  datasets,
  datasetAdd,
  datasetWiden,
  alerts,
  get,
  mirror,
  sharingProfile,
  mcp,
  reloadDefinitionsCommand,
  ...PUBLICATION_COMMANDS,
  verifyReceiptCommand,
  rotateReceiptKey,
  ...LAKE_COMMANDS,
  engineCopy,
  backupNote,
  backupList,
  backupVerify,
  backup,
  restore,
  storeMigrate,
  storeCopy,
  accountImport,
  ...ADMIN_COMMANDS,
];
