/** `ticklake store`: moves a store between files and a shared database, and migrates it. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UsageError } from '../base/errors.ts';
import {
  CONTROL_STORE_FILE,
  deploymentOf,
  LAKE_INDEX_FILE,
  LINK_SECRET_FILE,
} from '../base/home-layout.ts';
import { makeFolder } from '../base/make-folder.ts';
import { counted } from '../base/printable.ts';
import { readSecretFile, writeSecretFile } from '../base/secret.ts';
import {
  fillSharedStore,
  makeFileStore,
  migrateSharedStore,
  readFileStore,
  readSharedStore,
  SHARED_ADDRESS_FORM,
  type StoreAddress,
  sharedAddressOf,
  tryLockFile,
} from '../installed.ts';
import { requireSameDeployment, requireStore } from '../open-home.ts';
import {
  KeyFiles,
  keysOfSharedText,
  SHARED_KEYS,
  sharedKeysText,
} from '../receipts/receipt-keys.ts';
import { type CopyOptions, copyTables, type TableCopy } from '../store/copy-store.ts';
import type { Command, CommandContext } from './command.ts';
import { lockHome, openHome, requireHome } from './opened-home.ts';
import { linesText } from './text.ts';

export const storeMigrate: Command = {
  name: ['store', 'migrate'],
  summary: 'make the tables of the store that TICKLAKE_STORE names, or bring them up to date',
  run: async ({ config }) => {
    if (config.store === null) {
      throw new UsageError(
        'TICKLAKE_STORE names no database; a store in files of the home is brought up to date when it is opened',
      );
    }
    const parts = await migrateSharedStore(config.store);
    const schemas = Object.entries(parts).map(([name, schema]) => `${name} ${schema}`);
    const text = `The tables of the store are up to date: schema ${schemas.join(', ')}.\n`;
    return { value: { schemas: parts }, text };
  },
};

const FILES = 'files';

interface Ends {
  readonly address: StoreAddress;
  readonly isToFiles: boolean;
}

function endsOf(words: readonly string[]): Ends {
  const [from = '', to = ''] = words;
  const isToFiles = to === FILES;
  if ((from === FILES) === isToFiles) {
    throw new UsageError(
      `name where to copy from and to; one of the two must be ${FILES}, the store in the home: ticklake store copy ${FILES} ADDRESS`,
    );
  }
  const address = sharedAddressOf(isToFiles ? from : to);
  if (address) return { address, isToFiles };
  throw new UsageError(`the address of the shared store must be ${SHARED_ADDRESS_FORM}`);
}

function filesOf(home: string) {
  return { control: join(home, CONTROL_STORE_FILE), lake: join(home, LAKE_INDEX_FILE) };
}

async function copyToShared(
  home: string,
  address: StoreAddress,
  options: CopyOptions,
): Promise<readonly TableCopy[]> {
  const files = filesOf(home);
  requireStore({ home });
  const belongings = { deploymentId: deploymentOf(home), secrets: await readHomeSecrets(home) };
  return await readFileStore(files, (source) =>
    fillSharedStore(address, belongings, (target) => copyTables(source, target, options)),
  );
}

async function copyToFiles(
  home: string,
  address: StoreAddress,
  options: CopyOptions,
): Promise<readonly TableCopy[]> {
  const files = filesOf(home);
  const there = [files.control, files.lake].find((path) => existsSync(path));
  if (there !== undefined) {
    throw new UsageError(`there is a store already: move ${there} away, or name another home`);
  }
  return await readSharedStore(address, async (source, { deploymentId, secrets }) => {
    requireSameDeployment(home, deploymentId);
    return await makeFileStore(files, async (target) => {
      const copied = await copyTables(source, target, options);
      await writeHomeSecrets(home, secrets);
      return copied;
    });
  });
}

function textOf(tables: readonly TableCopy[], isToFiles: boolean, hasParts: boolean): string {
  const rows = tables.reduce((sum, { rowCount }) => sum + rowCount, 0);
  const lines = tables
    .filter(({ rowCount }) => rowCount > 0)
    .map(({ name, rowCount }) => `${name}: ${counted(rowCount, 'row')}`);
  const next = isToFiles
    ? 'Start the server without TICKLAKE_STORE; the database stays as it was.'
    : 'Set TICKLAKE_STORE to the database for all servers and commands; the files stay as they were.';
  const end = `Copied and verified ${counted(rows, 'row')}. ${next}`;
  const claims = hasParts
    ? []
    : ['Then run ticklake lake claim, or the copy only reads the parts.'];
  return linesText([...lines, end, ...claims]);
}

async function run(context: CommandContext, words: readonly string[]) {
  const { config, clock, signal, onProgress } = context;
  const { home } = config;
  const { address, isToFiles } = endsOf(words);
  requireHome({ home });
  lockHome(context);
  const onRows = (table: string, rowCount: number) =>
    onProgress(`${table}, ${counted(rowCount, 'row')}`, 0);
  const copy = isToFiles ? copyToFiles : copyToShared;
  const tables = await copy(home, address, { nowMs: clock.now(), signal, onRows });
  // The new store takes over the parts. If the settings do not say where the parts are, somebody
  // has to.
  const copied = { ...context, config: { ...config, store: isToFiles ? null : address } };
  const claimed = await openHome(copied)
    .then(({ lake }) => lake.owner.claim())
    .catch(() => null);
  return { value: { tables }, text: textOf(tables, isToFiles, claimed !== null) };
}

export const storeCopy: Command = {
  name: ['store', 'copy'],
  summary: 'copy the store of a home from its files to a shared store, or back, and verify it',
  usage: '<from> <to>',
  run: (context, _values, words) => run(context, words),
};

/** By the names that shared stores know; without those that the home has not made yet. */
export async function readHomeSecrets(home: string): Promise<ReadonlyMap<string, string>> {
  const links = readSecretFile(join(home, LINK_SECRET_FILE));
  const kept = await new KeyFiles(home, tryLockFile).read();
  return new Map([
    ...(links === null ? [] : [['links', links] as const]),
    // Without its private key a home makes another one, and so does a shared store.
    ...(kept.signing === null ? [] : [[SHARED_KEYS, sharedKeysText(kept)] as const]),
  ]);
}

/** Writes those of a shared store into a home, in place of what it has. */
async function writeHomeSecrets(home: string, texts: ReadonlyMap<string, string>): Promise<void> {
  const links = texts.get('links');
  if (links !== undefined) {
    const path = join(home, LINK_SECRET_FILE);
    makeFolder(dirname(path), 0o700);
    writeSecretFile(path, links);
  }
  const kept = keysOfSharedText(texts.get(SHARED_KEYS) ?? null);
  if (kept.signing !== null) await new KeyFiles(home, tryLockFile).change(() => kept);
}
