/** The users of a cluster that holds the parts. */
import { Secret } from '../../base/secret.ts';
import { optionalSetting, textOf } from '../../schema/setting.ts';

const password = textOf('the password of the user', (text) => new Secret(text));

export const CLICKHOUSE_SETTINGS = {
  clickHouseWriterPassword: optionalSetting(
    'TICKLAKE_CLICKHOUSE_WRITER_PASSWORD',
    password,
    'Password of the user `ticklake_writer` of the ClickHouse cluster, who makes and drops tables, inserts rows and drops parts.',
  ),
  clickHouseReaderPassword: optionalSetting(
    'TICKLAKE_CLICKHOUSE_READER_PASSWORD',
    password,
    'Password of the user `ticklake_reader`, by whom requests are answered: it may read, and nothing else.',
  ),
};

export const CLICKHOUSE_USERS = {
  clickHouseWriter: 'ticklake_writer',
  clickHouseReader: 'ticklake_reader',
};

/** The refusal of commands that copy parts to files. */
export const PARTS_NOT_IN_FILES =
  'the parts are in ClickHouse (TICKLAKE_LAKE); back them up with its tools, as docs/clickhouse.md describes';
