/** A lake in object storage, by its settings. */
import { join } from 'node:path';
import type { ValuesOf } from '../../../schema/setting.ts';
import type { PartFiles } from '../part-files.ts';
import type { DUCKDB_SETTINGS } from '../settings.ts';
import { claimPrefix } from './claim-prefix.ts';
import { EngineAccess } from './engine-access.ts';
import { installExtension } from './extension.ts';
import { ObjectClient } from './object-client.ts';
import { objectFiles } from './object-files.ts';
import { abandonOldUploads } from './object-list.ts';

export interface ObjectLake {
  readonly files: PartFiles;
  /** What one engine needs to read it. */
  access(): EngineAccess;
  /** Rejects with a `UsageError` where the lake cannot be used. */
  claim(): Promise<void>;
  /** Removes what uploads left whose process died long ago. */
  sweep(nowMs: number): Promise<void>;
}

export type ObjectLakeConfig = { readonly home: string } & Partial<
  Pick<ValuesOf<typeof DUCKDB_SETTINGS>, 'lakeAddress' | 's3Endpoint' | 's3Region' | 'extensions'>
>;

const extensionsOf = ({ home, extensions }: ObjectLakeConfig) =>
  extensions ?? join(home, 'extensions');

/** Null: parts lie in the home. */
export function objectLakeOf(config: ObjectLakeConfig): ObjectLake | null {
  const { home, lakeAddress, s3Endpoint: endpoint = null, s3Region: region = null } = config;
  if (!lakeAddress) return null;
  const { bucket, prefix } = lakeAddress;
  const client = new ObjectClient({ bucket, endpoint, region });
  const files = objectFiles(client, prefix);
  return {
    files,
    access: () => new EngineAccess({ client, root: files.root, extensions: extensionsOf(config) }),
    claim: () => claimPrefix(client, prefix, home),
    sweep: (nowMs) => abandonOldUploads(client, prefix, nowMs),
  };
}

/** Makes a home ready for its lake: the extension, and the mark on the prefix. */
export async function prepareObjectLake(config: ObjectLakeConfig): Promise<void> {
  const lake = objectLakeOf(config);
  if (lake === null) return;
  await installExtension(extensionsOf(config));
  await lake.claim();
}
