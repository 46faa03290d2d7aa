/** Settings of a store in PostgreSQL. */
import { optionalSetting, textOf } from '../../schema/setting.ts';
import { ADDRESS_FORM, addressOf } from './address.ts';

export const POSTGRES_SETTINGS = {
  store: optionalSetting(
    'TICKLAKE_STORE',
    textOf(ADDRESS_FORM, addressOf),
    'Database in PostgreSQL that keeps accounts, keys, rules, usage, the audit log and the ledger of the lake with its index, for one server or many; without one, they are kept in files of the home.',
  ),
};

/** Refusal of commands that copy the files of a home. */
export const NOT_IN_FILES =
  'the store is in PostgreSQL (TICKLAKE_STORE); back it up with pg_dump, as docs/postgresql.md describes';
