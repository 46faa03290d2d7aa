/** A lake in object storage, by its settings. */
import { join } from 'node:path';
import type { DiskLimits } from '../../../base/budgets.ts';
import type { ValuesOf } from '../../../schema/setting.ts';
import type { PlaceMark } from '../../engine.ts';
import type { PartFiles } from '../part-files.ts';
import type { DUCKDB_SETTINGS } from '../settings.ts';
import { claimPrefix, objectMark, storageWarning } from './claim-prefix.ts';
import { DirectFiles } from './direct-files.ts';
import { EngineAccess, installExtension } from './engine-access.ts';
import { abandonOldUploads, ObjectClient } from './object-client.ts';
import { objectFiles } from './object-files.ts';
import { cachedFiles, PartCache } from './part-cache.ts';

/** Address of a lake in object storage, such as `s3://bucket/prefix`. */
export interface LakeAddress {
  readonly bucket: string;
  /** Prefix of all keys, without slashes around it. */
  readonly prefix: string;
}

/** The form that `readLakeAddress` reads, in words. */
export const LAKE_ADDRESS_FORM = 'a bucket and a prefix such as s3://bucket/prefix';

const ADDRESS = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/([\w-][\w.-]*(?:\/[\w-][\w.-]*)*)\/?$/;

export function readLakeAddress(text: string): LakeAddress | undefined {
  const [, bucket, prefix] = ADDRESS.exec(text) ?? [];
  return bucket === undefined || prefix === undefined ? undefined : { bucket, prefix };
}

export function urlOf({ bucket, prefix }: LakeAddress): string {
  return `s3://${bucket}/${prefix}`;
}

export interface ObjectLake {
  /** The objects, through the cache if there is one: for what is read, sent and written. */
  readonly files: PartFiles;
  /** The objects alone: for what is verified and copied. */
  readonly objects: PartFiles;
  /** Parts that are in the home, too; null: none are. */
  readonly cache: PartCache | null;
  readonly cacheDirectory: string;
  readonly directFiles: DirectFiles;
  readonly mark: PlaceMark;
  /** As `EngineReader.warning`. */
  readonly warning: () => Promise<string | null>;
  /** Access for one engine. */
  access(): EngineAccess;
  /** Rejects with a `UsageError` where the lake cannot be used. */
  claim(): Promise<void>;
  /**
   * Removes what uploads left whose process died long ago, and files that clients fetched before
   * yesterday.
   */
  sweep(nowMs: number): Promise<void>;
}

type ObjectLakeConfig = {
  readonly home: string;
  /** Null or missing: parts lie in the home. */
  readonly lakeAddress?: LakeAddress | null;
} & Partial<
  Pick<
    ValuesOf<typeof DUCKDB_SETTINGS> & DiskLimits,
    's3Endpoint' | 's3PublicEndpoint' | 's3Region' | 'extensions' | 'lakeCacheBytesMax'
  >
>;

const extensionsOf = ({ home, extensions }: ObjectLakeConfig) =>
  extensions ?? join(home, 'extensions');

/** Null: parts lie in the home. */
export function openObjectLake(config: ObjectLakeConfig): ObjectLake | null {
  const { home, lakeAddress, s3Endpoint: endpoint = null, s3Region: region = null } = config;
  if (!lakeAddress) return null;
  const { bucket, prefix } = lakeAddress;
  const client = new ObjectClient({ bucket, endpoint, region });
  const objects = objectFiles(client, prefix);
  const publicEndpoint = config.s3PublicEndpoint ?? endpoint;
  const directFiles = new DirectFiles({
    client: new ObjectClient({ bucket, endpoint, region, omitsSums: true }),
    ...{ prefix, endpoint: publicEndpoint },
  });
  const cacheDirectory = join(home, 'lake', '.cache');
  const { lakeCacheBytesMax: cacheBytesMax = 0 } = config;
  const cache = cacheBytesMax > 0 ? new PartCache(cacheDirectory, cacheBytesMax, objects) : null;
  const files = cache ? cachedFiles(objects, cache) : objects;
  return {
    ...{ files, objects, cache, cacheDirectory, directFiles },
    mark: objectMark(client, prefix),
    warning: storageWarning(client, prefix),
    access: () => new EngineAccess({ client, root: files.root, extensions: extensionsOf(config) }),
    claim: () => claimPrefix(client, prefix, home),
    sweep: async (nowMs) => {
      await abandonOldUploads(client, prefix, nowMs);
      await directFiles.sweep(nowMs);
    },
  };
}

/** Makes a home ready for its lake: the extension, and the mark on the prefix. */
export async function prepareObjectLake(config: ObjectLakeConfig): Promise<void> {
  const lake = openObjectLake(config);
  if (lake === null) return;
  await installExtension(extensionsOf(config));
  await lake.claim();
}
