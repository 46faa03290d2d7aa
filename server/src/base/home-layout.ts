import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from './make-folder.ts';

/** Made, with the home, when it is first asked for. */
export function deploymentOf(home: string): string {
  const file = join(home, DEPLOYMENT_FILE);
  makeFolder(home, 0o700);
  try {
    writeFileSync(file, `${randomUUID()}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readFileSync(file, 'utf8').trim();
}

/** The names of files in a home that more than one part of the program knows. */
export const CONTROL_STORE_FILE = 'control.db';
export const LAKE_INDEX_FILE = 'lake.db';
/** The keys that receipts are signed with, and those by which they are verified. */
export const RECEIPTS_FOLDER = 'receipts';
/** The private one, which is nowhere else: a home without it makes another one. */
export const SIGNING_KEY_FILE = 'signing-key.pem';
/** The secret that seals links to files. */
export const LINK_SECRET_FILE = 'links/secret';
/** SHA-256 of delivered files, which are computed again where it is missing. */
export const FILE_DIGESTS_FILE = 'links/digests';
/** How the landing page presents the service. */
export const SITE_FILE = 'site.yaml';
/** Days and sessions of markets that are other than the shipped ones. */
export const CALENDARS_FILE = 'calendars.yaml';
/** The folder of the operator's own dataset definitions. */
export const DEFINITIONS_FOLDER = 'datasets';
/** Held by whoever has the home for itself: a server, or what restores it. */
export const HOME_LOCK_FILE = 'server.lock';
export const SERVER_NOTE_FILE = 'server.json';
/** By which a command asks the server to read its definitions again, and is answered. */
export const RELOAD_REQUEST_FILE = 'reload-request.json';
export const RELOAD_ANSWER_FILE = 'reload-answer.json';
/** There while a home is restored, and after that has died. */
export const RESTORE_MARK_FILE = 'restoring.json';
/** How far a check of the lake has come that was interrupted. */
export const VERIFY_NOTE_FILE = 'lake-verify.json';
/** The id of the deployment, which ties homes to a shared store and lake. */
export const DEPLOYMENT_FILE = 'deployment-id';
/** The datasets of which uploads have come that nothing is derived from yet. */
export const DUE_DERIVATIONS_FILE = 'due-derivations.json';
/** Tells when the home was last backed up. */
export const BACKUP_NOTE_FILE = 'last-backup.json';
