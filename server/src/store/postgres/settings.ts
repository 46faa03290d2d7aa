/** Settings of a store in PostgreSQL. */
import { integer, optionalSetting, setting, textOf } from '../../schema/setting.ts';
import { ADDRESS_FORM, addressOf } from './address.ts';

const GRACE_DEFAULT_MS = 30_000;
const GRACE_MAX_MS = 86_400_000;

export const POSTGRES_SETTINGS = {
  store: optionalSetting(
    'TICKLAKE_STORE',
    textOf(ADDRESS_FORM, addressOf),
    'Database in PostgreSQL that keeps accounts, keys, rules, usage, the audit log and the ledger of the lake with its index, for one server or many; without one, they are kept in files of the home.',
  ),
  storeGraceMs: setting(
    'TICKLAKE_STORE_GRACE_MS',
    integer(0, GRACE_MAX_MS),
    GRACE_DEFAULT_MS,
    'How long requests of known callers are still answered, by what was known last, when that database cannot be reached; 0 refuses them at once.',
  ),
};

/** What commands say that copy the files of a home. */
export const NOT_IN_FILES =
  'the store is in PostgreSQL (TICKLAKE_STORE); back it up with pg_dump, as docs/postgresql.md describes';
