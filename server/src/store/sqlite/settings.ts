/** Settings of a store in files. */
import * as v from 'valibot';
import { legal } from '../../schema/schema.ts';
import { integer, setting, textOf } from '../../schema/setting.ts';

const RESERVE_BYTES_MIN = 8 * 1024 * 1024;
const RESERVE_BYTES_MAX = 1_000_000_000;

const reserveBytes = v.pipe(
  v.union([
    textOf('0', (text) => (text === '0' ? 0 : undefined)),
    integer(RESERVE_BYTES_MIN, RESERVE_BYTES_MAX),
  ]),
  legal(`0 or an integer from ${RESERVE_BYTES_MIN} to ${RESERVE_BYTES_MAX}`),
);

export const SQLITE_SETTINGS = {
  storeReserveBytes: setting(
    'TICKLAKE_STORE_RESERVE_BYTES',
    reserveBytes,
    RESERVE_BYTES_MIN,
    'Bytes that the control store reserves so that it can save changes and usage when the disk is full; 0 reserves none.',
  ),
};
