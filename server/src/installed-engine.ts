/** The installed engine: the place of the parts decides which one of `engine/` it is. */
import { DEFAULT_DISK_LIMITS, type DiskLimits } from './base/budgets.ts';
import type { Secret } from './base/secret.ts';
import {
  CLUSTER_ADDRESS_FORM,
  type ClusterAddress,
  clusterName,
  readClusterAddress,
} from './engine/clickhouse/cluster-address.ts';
import { clickHouseEngine } from './engine/clickhouse/engine.ts';
import { CLICKHOUSE_SETTINGS, CLICKHOUSE_USERS } from './engine/clickhouse/settings.ts';
import { DUCKDB_ENGINE } from './engine/duckdb/engine.ts';
import {
  LAKE_ADDRESS_FORM,
  type LakeAddress,
  readLakeAddress,
  urlOf,
} from './engine/duckdb/objects/object-lake.ts';
import { DUCKDB_SETTINGS, READING_LIMITS } from './engine/duckdb/settings.ts';
import type { Engine, EngineConfig } from './engine/engine.ts';
import { IN_HOME } from './lake/lake-owner.ts';
import { defaultsOf, optionalSetting, textOf, type ValuesOf } from './schema/setting.ts';
import { tryLockFile } from './store/sqlite/publisher-locks.ts';

/** The place of parts outside the home. */
export type LakePlace = LakeAddress | ClusterAddress;

/** The form of texts for `readLakePlace`. */
export const LAKE_PLACE_FORM = `${LAKE_ADDRESS_FORM}, or ${CLUSTER_ADDRESS_FORM}`;

/** A stable name of the place; null: the folder of the home. */
export function lakePlaceName(place: LakePlace | null): string {
  if (place === null) return IN_HOME;
  return isCluster(place) ? clusterName(place) : urlOf(place);
}

/** Undefined unless the text is a legal address. */
export function readLakePlace(text: string): LakePlace | undefined {
  return readLakeAddress(text) ?? readClusterAddress(text);
}

const PLACE_SETTINGS = {
  lakeAddress: optionalSetting(
    'TICKLAKE_LAKE',
    textOf(LAKE_PLACE_FORM, readLakePlace),
    'Object storage or ClickHouse cluster that holds the parts; if unset, the folder `lake` in the home.',
  ),
};

export const ENGINE_SETTINGS = { ...PLACE_SETTINGS, ...DUCKDB_SETTINGS, ...CLICKHOUSE_SETTINGS };

/** Constants of engines. */
export const ENGINE_LIMITS = { ...READING_LIMITS, ...CLICKHOUSE_USERS };

/** The configuration of an engine without settings. */
export const ENGINE_DEFAULTS = {
  ...defaultsOf(ENGINE_SETTINGS),
  ...ENGINE_LIMITS,
  ...DEFAULT_DISK_LIMITS,
};

type InstalledConfig = EngineConfig &
  ValuesOf<typeof ENGINE_SETTINGS> &
  typeof ENGINE_LIMITS &
  DiskLimits;
type GivenConfig = Pick<InstalledConfig, 'home'> & Partial<InstalledConfig>;

/** Requests to a cluster at once; a query sends one for each table of its plan. */
const CONNECTIONS_MAX = 256;
/** Without a byte from a server of a cluster. */
const SILENCE_MAX_MS = 60_000;
/** Queries at once of the engine that stages rows. */
const STAGING_QUERIES_MAX = 2;

const loginOf = (username: string, password: Secret | null | undefined) => ({
  username,
  password: password?.reveal() ?? '',
});

function inCluster({ shards, database }: ClusterAddress, given: GivenConfig) {
  const config = { ...ENGINE_DEFAULTS, ...given, lakeAddress: null };
  return clickHouseEngine({
    ...{ shards, database },
    writer: loginOf(config.clickHouseWriter, config.clickHouseWriterPassword),
    reader: loginOf(config.clickHouseReader, config.clickHouseReaderPassword),
    connectionsMax: CONNECTIONS_MAX,
    timeoutMs: SILENCE_MAX_MS,
    openStaging: (home) => ({
      storage: DUCKDB_ENGINE.openStorage({ ...config, home }, tryLockFile),
      openReader: () =>
        DUCKDB_ENGINE.openReader({ ...config, home, queriesMax: STAGING_QUERIES_MAX }),
    }),
  });
}

/** True if parts lie in a cluster, whose own tools copy them. */
export function isCluster(place: LakePlace | null | undefined): place is ClusterAddress {
  return place != null && 'shards' in place;
}

function engineOf(config: GivenConfig): Engine<InstalledConfig> {
  const { lakeAddress } = config;
  if (isCluster(lakeAddress)) return inCluster(lakeAddress, config);
  // DuckDB takes all other places.
  return DUCKDB_ENGINE as Engine<never> as Engine<InstalledConfig>;
}

export const INSTALLED_ENGINE: Engine<InstalledConfig> = {
  prepare: async (config) => engineOf(config).prepare?.(config),
  openReader: (config) => engineOf(config).openReader(config),
  openStorage: (config, tryLock) => engineOf(config).openStorage(config, tryLock),
};
