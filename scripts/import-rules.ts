/**
 * The rules of imports. A room is a folder or file of the repository; a file belongs to the longest
 * room that its path begins with. A room imports rooms below it and itself: so no two import each
 * other, neither directly nor through others. Imports of types count.
 */
import { posix } from 'node:path';

/** From the bottom up. */
const ROOMS = [
  'client/src',
  'market/src',
  'server/src/base',
  'server/src/schema',
  'server/src/time',
  'server/src/catalog',
  'server/src/engine',
  'server/src/formats',
  'server/src/request',
  'server/src/symbology',
  'server/src/store',
  'server/src/lake',
  'server/src/backup',
  'server/src/plan',
  'server/src/adjustments',
  'server/src/intervals',
  'server/src/access',
  'server/src/mail',
  'server/src/quota',
  'server/src/response',
  'server/src/receipts',
  'server/src/sharing',
  'server/src/delivery',
  'server/src/ingest',
  'server/src/recipes',
  'server/src/derive',
  'server/src/night',
  'server/src/mirror',
  'server/src/site',
  'server/src/admin',
  'server/src/operation',
  'server/src/engine/duckdb',
  'server/src/engine/clickhouse',
  'server/src/store/sqlite',
  'server/src/store/postgres',
  'server/src/installed-engine.ts',
  'server/src/installed.ts',
  'server/src/open-home.ts',
  'server/src/settings',
  'server/src/query',
  'server/src/routes',
  'server/src/open-services.ts',
  'server/src/cli',
  'demo/src',
  'server/src/cli/commands.ts',
  'server/src/cli.ts',
  'console/src',
];

const INSTALLED = ['server/src/installed.ts', 'server/src/installed-engine.ts'];

/** Who alone may import what begins so; everybody else goes through them. */
const RESERVED: Readonly<Record<string, readonly string[]>> = {
  '@duckdb/node-api': ['server/src/engine/duckdb'],
  '@clickhouse/client': ['server/src/engine/clickhouse'],
  '@aws-sdk/': ['server/src/engine/duckdb'],
  'server/src/engine/plan-of-all.ts': [
    'server/src/engine/clickhouse',
    'server/src/backup',
    'server/src/derive',
  ],
  nodemailer: ['server/src/mail'],
  'node:sqlite': ['server/src/store/sqlite'],
  pg: ['server/src/store/postgres'],
  pgpass: ['server/src/store/postgres'],
  fastify: ['server/src/routes'],
  '@fastify/': ['server/src/routes'],
  'server/src/engine/duckdb/': INSTALLED,
  'server/src/engine/clickhouse/': INSTALLED,
  'server/src/store/sqlite/': INSTALLED,
  'server/src/store/postgres/': INSTALLED,
};

/** The rooms that the console, which runs in browsers, shares with the server. */
const SHARED_WITH_CONSOLE = ['server/src/access/subnet.ts', 'server/src/access/ip-allow-list.ts'];

/** Source folders of this repository's packages. */
const PACKAGES: Readonly<Record<string, string>> = {
  'ticklake/': 'server/src/',
  '@ticklake/market/': 'market/src/',
  '@ticklake/demo/': 'demo/src/',
  '@ticklake/client': 'client/src/index.ts',
};

export interface Source {
  /** From the root of the repository. */
  readonly path: string;
  readonly text: string;
}

const IMPORTED =
  /^(?:import|export)\b[^'"`;]*?\bfrom\s+['"]([^'"]+)['"]|^import\s+['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm;

/** The path of an imported file of this repository; of anything else, its name. */
function targetOf(path: string, specifier: string): string {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(path), specifier);
  const name = Object.keys(PACKAGES).find((each) => specifier.startsWith(each));
  return name === undefined ? specifier : specifier.replace(name, PACKAGES[name] as string);
}

/** Null for a path outside of all rooms. */
function roomOf(path: string): string | null {
  const rooms = ROOMS.filter((room) => path === room || path.startsWith(`${room}/`));
  return rooms.sort((a, b) => b.length - a.length)[0] ?? null;
}

function problemOf(path: string, target: string): string | null {
  const room = roomOf(path);
  if (room === null) return 'stands in no room of scripts/import-rules.ts';
  const reserved = Object.keys(RESERVED).find((each) => `${target}/`.startsWith(each));
  const targetRoom = roomOf(target);
  if (room === targetRoom) return null;
  const holders = reserved === undefined ? null : RESERVED[reserved];
  if (holders && !holders.includes(room)) return `only ${holders.join(', ')} may`;
  if (targetRoom === null) return null;
  if (
    room === 'console/src' &&
    !SHARED_WITH_CONSOLE.includes(target) &&
    targetRoom !== 'client/src'
  ) {
    return `the console shares only ${SHARED_WITH_CONSOLE.join(', ')}`;
  }
  return ROOMS.indexOf(targetRoom) < ROOMS.indexOf(room) ? null : `${room} stands below it`;
}

/** A line for each import that the rules forbid. */
export function wrongImports(sources: readonly Source[]): string[] {
  return sources.flatMap(({ path, text }) =>
    [...text.matchAll(IMPORTED)].flatMap((match) => {
      const target = targetOf(path, match[1] ?? match[2] ?? match[3] ?? '');
      const problem = problemOf(path, target);
      return problem === null ? [] : [`${path} imports ${target}: ${problem}`];
    }),
  );
}
