/**
 * Notes on every server whose parts lie there and which shard it holds, so that no two deployments
 * share a database, and no server is asked for the parts of another shard.
 */
import { UsageError } from '../../base/errors.ts';
import { failureText } from '../../base/failure-text.ts';
import { DEPLOYMENT_FILE } from '../../base/home-layout.ts';
import type { PlaceMark } from '../engine.ts';
import { StoreError } from '../store-failures.ts';
import { textSql } from './conditions.ts';
import { ifNoTable, type Server, ServerDownError } from './server.ts';
import type { Shard } from './shards.ts';
import { numberColumn } from './sources.ts';

const TABLE = 'ticklake_deployment';
/** The current release with long support. */
const FIRST_RELEASE = [26, 8] as const;

const never = new AbortController().signal;
const textColumn = (name: string) => ({ name, dataType: 'string' as const });

interface Mark {
  readonly deployment: string;
  readonly shard: number;
}

/** Null: the release, such as `26.8.1`, is one that parts can be kept on. */
export function releaseProblem(version: string): string | null {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [firstMajor, firstMinor] = FIRST_RELEASE;
  if (major > firstMajor || (major === firstMajor && minor >= firstMinor)) return null;
  return `is ClickHouse ${version}; use ${FIRST_RELEASE.join('.')} or a later release`;
}

async function requireRelease(server: Server, signal: AbortSignal): Promise<void> {
  const problem = releaseProblem(await server.version(signal));
  if (problem !== null) throw new UsageError(`${server.url} ${problem}`);
}

async function marksOn(server: Server, signal: AbortSignal): Promise<Mark[]> {
  const sql = `SELECT DISTINCT deployment, toFloat64(shard) AS shard FROM ${TABLE}`;
  const columns = [textColumn('deployment'), numberColumn('shard')];
  const rows = await server.rows({ sql, columns }, signal).catch(ifNoTable([]));
  return rows.map(([deployment, shard]) => ({ deployment: `${deployment}`, shard: Number(shard) }));
}

async function mark(server: Server, { deployment, shard }: Mark, signal: AbortSignal) {
  const columns = '(deployment String, shard UInt64)';
  const engine = 'ENGINE = MergeTree ORDER BY (deployment, shard)';
  await server.run(`CREATE TABLE IF NOT EXISTS ${TABLE} ${columns} ${engine}`, signal);
  const values = `(${textSql(deployment)}, ${shard})`;
  await server.run(`INSERT INTO ${TABLE} (deployment, shard) VALUES ${values}`, signal);
}

/** Rejects with a `UsageError` where the server is another deployment's, or holds another shard. */
async function claimServer(server: Server, own: Mark, signal: AbortSignal): Promise<void> {
  await requireRelease(server, signal);
  let found = await marksOn(server, signal);
  if (found.length === 0) {
    await mark(server, own, signal);
    found = await marksOn(server, signal);
  }
  if (found.some(({ deployment }) => deployment !== own.deployment)) {
    throw new UsageError(
      `${server.url} holds the parts of another deployment; choose another database in TICKLAKE_LAKE, ` +
        `or give this home the file ${DEPLOYMENT_FILE} of a home of that deployment`,
    );
  }
  const other = found.find(({ shard }) => shard !== own.shard);
  if (!other) return;
  throw new UsageError(
    `${server.url} holds shard ${other.shard + 1} and not shard ${own.shard + 1}; ` +
      'name the shards in TICKLAKE_LAKE in the order in which they were first named',
  );
}

/** The failure that keeps a shard from being used, or null. */
async function shardProblem(
  { replicas }: Shard,
  ask: (server: Server) => Promise<void>,
  needsAll: boolean,
): Promise<unknown> {
  const answers = await Promise.allSettled(replicas.map(ask));
  const failures = answers.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  const wrong = failures.find((error) => !(error instanceof ServerDownError));
  if (wrong) return wrong;
  return failures.length === replicas.length || needsAll ? (failures[0] ?? null) : null;
}

/** Rejects with the first problem: with a `UsageError` for what an operator can mend. */
async function requireNone(problems: readonly Promise<unknown>[]): Promise<void> {
  const error = (await Promise.all(problems)).find((problem) => problem !== null);
  if (error === undefined) return;
  throw error instanceof StoreError ? new UsageError(failureText(error)) : error;
}

/**
 * Claims the database of every server. Of a shard, one server has to answer; `needsAll`: all of
 * them. Rejects with a `UsageError` that says what to change.
 */
export async function claimCluster(
  shards: readonly Shard[],
  deployment: string,
  { needsAll }: { readonly needsAll: boolean },
): Promise<void> {
  await requireNone(
    shards.map((each, shard) =>
      shardProblem(each, (server) => claimServer(server, { deployment, shard }, never), needsAll),
    ),
  );
}

/** Also that the user may have the settings that statements come with. */
async function requireReader(server: Server): Promise<void> {
  await requireRelease(server, never);
  const wall = { table: TABLE, condition: '1' };
  await server.rows({ sql: 'SELECT 1.0 AS one', columns: [numberColumn('one')], wall }, never);
}

/** Rejects with a `UsageError` where the servers do not answer the user that is to read. */
export async function requireReadable(shards: readonly Shard[]): Promise<void> {
  await requireNone(shards.map((each) => shardProblem(each, requireReader, false)));
}

const OWNER_TABLE = 'ticklake_owner';
const CREATE_OWNER = `CREATE TABLE IF NOT EXISTS ${OWNER_TABLE} (number UInt64, mark String) ENGINE = MergeTree ORDER BY number`;
const LAST_MARK = {
  sql: `SELECT toFloat64(number) AS number, mark FROM ${OWNER_TABLE} ORDER BY ${OWNER_TABLE}.number DESC LIMIT 1`,
  columns: [numberColumn('number'), textColumn('mark')],
};

/**
 * The mark that says whose the parts in a cluster are: the last row of a table that the first shard
 * has. What a replica that is away has missed, the others know.
 */
export function clusterMark(shard: Shard): PlaceMark {
  const last = async () => {
    const found = await shard.ofEach((server) =>
      server.rows(LAST_MARK, never).catch(ifNoTable([])),
    );
    return found.flat().sort((a, b) => Number(b[0]) - Number(a[0]))[0] ?? [0, null];
  };
  return {
    // A copy of a cluster cannot be told from it: the copy's store has to claim it.
    place: async () => OWNER_TABLE,
    read: async () => (await last())[1] as string | null,
    write: async (text) => {
      const row = `(${Number((await last())[0]) + 1}, ${textSql(text)})`;
      await shard.ofEach(async (server) => {
        await server.run(CREATE_OWNER, never);
        await server.run(`INSERT INTO ${OWNER_TABLE} (number, mark) VALUES ${row}`, never);
      });
    },
  };
}
