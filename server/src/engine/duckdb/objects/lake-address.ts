/** Where a lake in object storage lies, such as `s3://bucket/prefix`. */
export interface LakeAddress {
  readonly bucket: string;
  /** Of all keys, without slashes around it. */
  readonly prefix: string;
}

/** What `readLakeAddress` reads, in words. */
export const LAKE_ADDRESS_FORM = 'a bucket and a prefix such as s3://bucket/prefix';

const ADDRESS = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/([\w-][\w.-]*(?:\/[\w-][\w.-]*)*)\/?$/;

export function readLakeAddress(text: string): LakeAddress | undefined {
  const [, bucket, prefix] = ADDRESS.exec(text) ?? [];
  return bucket === undefined || prefix === undefined ? undefined : { bucket, prefix };
}

export function urlOf({ bucket, prefix }: LakeAddress): string {
  return `s3://${bucket}/${prefix}`;
}
