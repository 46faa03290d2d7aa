/** Settings of the catalogue. */
import { anyText, listOf, optionalSetting, setting } from '../schema/setting.ts';
import { TIME_ZONE } from './definition.ts';

export const CATALOG_SETTINGS = {
  offeredDatasets: setting(
    'TICKLAKE_DATASETS',
    listOf(anyText, 'ids or text ids of datasets between commas'),
    [],
    'Datasets that the server offers, by ids or text ids between commas; if unset, all that are defined.',
  ),
  filterTimeZone: optionalSetting(
    'TICKLAKE_FILTER_TIME_ZONE',
    TIME_ZONE,
    "Clock by which filters without an offset are read, where a definition names none; if unset, the market's.",
  ),
};
