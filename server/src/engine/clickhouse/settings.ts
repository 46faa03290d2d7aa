/** The users of a cluster that holds the parts, and whom to trust there. */
import { Secret } from '../../base/secret.ts';
import { anyText, optionalSetting, setting, textOf } from '../../schema/setting.ts';

const password = textOf('the password of the user', (text) => new Secret(text));

export const CLICKHOUSE_SETTINGS = {
  clickHouseWriter: setting(
    'TICKLAKE_CLICKHOUSE_WRITER',
    anyText,
    'ticklake_writer',
    'User of the ClickHouse cluster that makes and drops tables, inserts rows and drops parts.',
  ),
  clickHouseWriterPassword: optionalSetting(
    'TICKLAKE_CLICKHOUSE_WRITER_PASSWORD',
    password,
    'Password of that user; if unset, none.',
  ),
  clickHouseReader: setting(
    'TICKLAKE_CLICKHOUSE_READER',
    anyText,
    'ticklake_reader',
    'User of the ClickHouse cluster that requests are answered by: it may read, and nothing else.',
  ),
  clickHouseReaderPassword: optionalSetting(
    'TICKLAKE_CLICKHOUSE_READER_PASSWORD',
    password,
    'Password of that user; if unset, none.',
  ),
  clickHouseAuthorityFile: optionalSetting(
    'TICKLAKE_CLICKHOUSE_AUTHORITY_FILE',
    anyText,
    'PEM file of the authority that signs the certificates of the ClickHouse servers; if unset, those that Node.js trusts.',
  ),
};

/** What commands say that copy parts to files. */
export const PARTS_NOT_IN_FILES =
  'the parts are in ClickHouse (TICKLAKE_LAKE); back them up with its tools, as docs/clickhouse.md describes';
