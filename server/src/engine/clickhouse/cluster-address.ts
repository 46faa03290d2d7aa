/** Addresses of clusters, which hold no credentials. Pure. */
import { isIPv4 } from 'node:net';

export interface ClusterAddress {
  /** Addresses of replicas, by shard: `https://host:port`. */
  readonly shards: readonly (readonly string[])[];
  readonly database: string;
}

/** The form of an address, for messages. */
export const CLUSTER_ADDRESS_FORM =
  'a ClickHouse cluster such as clickhouse://a1:8443,a2:8443;b1:8443,b2:8443/database, with commas ' +
  'between replicas and semicolons between shards, without credentials, followed by ?tls=off where ' +
  'servers elsewhere are asked without encryption';

const ADDRESS = /^clickhouse:\/\/([^/?#]+)\/([A-Za-z_][A-Za-z0-9_]{0,62})(?:\?tls=(on|off))?$/;
const PORTS = { http: 8123, https: 8443 };
const SERVERS_MAX = 1000;

/** Nobody listens between two processes of one machine. */
function isLocal(hostname: string): boolean {
  return (
    ['localhost', '[::1]'].includes(hostname) || (isIPv4(hostname) && hostname.startsWith('127.'))
  );
}

/** A cluster by what stays the same while servers of it come and go. */
export function clusterName({ database }: ClusterAddress): string {
  return `the ClickHouse database ${database}`;
}

/** A name or an address, and a port; anything else is undefined. */
function hostOf(text: string): { name: string; port: string } | undefined {
  if (!/^(?:[A-Za-z0-9_.-]+|\[[0-9a-fA-F:.]+\])(?::\d{1,5})?$/.test(text)) return undefined;
  // A neutral scheme: `http` would drop its own default port.
  if (!URL.canParse(`tcp://${text}`)) return undefined;
  const { hostname, port } = new URL(`tcp://${text}`);
  return { name: hostname, port };
}

/** Undefined unless the text is a legal address. */
export function readClusterAddress(text: string): ClusterAddress | undefined {
  const [, servers, database, tls] = ADDRESS.exec(text) ?? [];
  if (servers === undefined || database === undefined) return undefined;
  const hosts = servers.split(';').map((shard) => shard.split(',').map(hostOf));
  const all = hosts.flat();
  if (all.length > SERVERS_MAX || all.includes(undefined)) return undefined;
  const isPlain =
    tls === undefined ? all.every((host) => isLocal(host?.name ?? '')) : tls === 'off';
  const scheme = isPlain ? 'http' : 'https';
  const shards = hosts.map((shard) =>
    shard.map((host) => `${scheme}://${host?.name}:${host?.port || PORTS[scheme]}`),
  );
  // A server that is named twice would have its parts twice.
  return new Set(shards.flat()).size === all.length ? { shards, database } : undefined;
}
