/** Every setting of the product, read from the environment once. */
import { resolve } from 'node:path';
import * as v from 'valibot';
import { ACCESS_SETTINGS } from '../access/settings.ts';
import { UsageError } from '../base/errors.ts';
import { CATALOG_SETTINGS } from '../catalog/settings.ts';
import { DELIVERY_SETTINGS } from '../delivery/settings.ts';
import { DERIVE_SETTINGS } from '../derive/settings.ts';
import { QUERY_SETTINGS } from '../engine/settings.ts';
import { INGEST_SETTINGS } from '../ingest/settings.ts';
import { ENGINE_SETTINGS, STORE_SETTINGS } from '../installed.ts';
import { LOSS_SETTINGS, OPEN_PUBLICATION_SETTINGS, RETENTION_SETTINGS } from '../lake/settings.ts';
import { MAIL_SETTINGS } from '../mail/settings.ts';
import { OPERATION_SETTINGS } from '../operation/settings.ts';
import { QUOTA_SETTINGS } from '../quota/settings.ts';
import { DATA_REQUEST_SETTINGS } from '../request/settings.ts';
import { PAGE_SETTINGS } from '../response/settings.ts';
import {
  anyText,
  legalSetting,
  type Setting,
  type Settings,
  setting,
  type ValuesOf,
} from '../schema/setting.ts';
import { SITE_SETTINGS } from '../site/settings.ts';
import { HTTP_SETTINGS } from './http-settings.ts';

const HOME_SETTINGS = {
  home: setting(
    'TICKLAKE_HOME',
    anyText,
    '.ticklake',
    'Folder that holds everything the program stores.',
  ),
};

export const SETTINGS = {
  ...HOME_SETTINGS,
  ...HTTP_SETTINGS,
  ...SITE_SETTINGS,
  ...CATALOG_SETTINGS,
  ...DATA_REQUEST_SETTINGS,
  ...QUERY_SETTINGS,
  ...ENGINE_SETTINGS,
  ...LOSS_SETTINGS,
  ...RETENTION_SETTINGS,
  ...OPEN_PUBLICATION_SETTINGS,
  ...PAGE_SETTINGS,
  ...DELIVERY_SETTINGS,
  ...ACCESS_SETTINGS,
  ...MAIL_SETTINGS,
  ...QUOTA_SETTINGS,
  ...STORE_SETTINGS,
  ...INGEST_SETTINGS,
  ...DERIVE_SETTINGS,
  ...OPERATION_SETTINGS,
} satisfies Settings;

export type Config = ValuesOf<typeof SETTINGS>;

function readSetting(each: Setting<unknown>, env: NodeJS.ProcessEnv): unknown {
  const given = env[each.environment];
  if (given === undefined) return each.default;
  const { success, output } = v.safeParse(each.schema, given);
  if (!success) throw new UsageError(`${each.environment} must be ${legalSetting(each)}`);
  return output;
}

/** Reads every setting; throws `UsageError` that names the first bad one and what is legal. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const entries = Object.entries(SETTINGS).map(([name, each]) => [name, readSetting(each, env)]);
  const config = Object.fromEntries(entries) as Config;
  return { ...config, home: resolve(config.home) };
}
