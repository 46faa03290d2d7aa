/** Checks from outside the product that a lake's ledger, index and parts agree. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

interface VersionRow {
  readonly dataset_id: string;
  readonly version: number;
  readonly publication_id: number;
  readonly part_count: number;
  readonly row_count: number;
  readonly byte_count: number;
  readonly content_digest: string;
}

interface SpanRow {
  readonly dataset_id: string;
  readonly key: string;
  readonly first_version: number;
  readonly end_version: number | null;
  readonly part_id: number;
  readonly row_count: number | null;
  readonly byte_count: number | null;
  /** Null, like the counts, where the part is unknown. */
  readonly content_digest: string | null;
  readonly retired_at: number | null;
}

interface PartRow {
  readonly part_id: number;
  readonly location: string;
  readonly digest: string;
  readonly stored_byte_count: number;
  readonly retired_at: number | null;
}

type Check = (lake: OpenedLake) => string[];

interface OpenedLake {
  readonly directory: string;
  all<T>(sql: string): T[];
}

/** Sums of the halves of digests, each modulo 2^64. */
function sumOf(digests: readonly string[]): string {
  const lanes = [0, 16].map((at) => {
    const sum = digests.reduce(
      (lane, each) => lane + BigInt(`0x${each.slice(at, at + 16) || '0'}`),
      0n,
    );
    return BigInt.asUintN(64, sum).toString(16).padStart(16, '0');
  });
  return lanes.join('');
}

const spansOf = ({ all }: OpenedLake) =>
  all<SpanRow>(`SELECT part_span.*, part.row_count, part.byte_count, part.content_digest, part.retired_at
    FROM part_span LEFT JOIN part USING (part_id)`);

const isIn = ({ first_version, end_version }: SpanRow, version: number) =>
  first_version <= version && (end_version === null || version < end_version);

/** Every part that a version has is known and stored as it was published, and nothing else is. */
const storedParts: Check = ({ directory, all }) => {
  const parts = all<PartRow>('SELECT * FROM part');
  const wrong = parts.flatMap((part) => {
    try {
      const bytes = readFileSync(join(directory, part.location));
      const isSame =
        bytes.length === part.stored_byte_count &&
        createHash('sha256').update(bytes).digest('hex') === part.digest;
      return isSame ? [] : [`${part.location} is altered`];
    } catch {
      return [`${part.location} is missing`];
    }
  });
  const known = new Set(parts.map(({ location }) => location));
  const folders = readdirSync(directory, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && !entry.name.startsWith('.'),
  );
  const files = folders.flatMap(({ name }) =>
    readdirSync(join(directory, name)).map((file) => `${name}/${file}`),
  );
  const retired = parts.filter(({ retired_at }) => retired_at !== null);
  return [
    ...wrong,
    ...files.filter((file) => !known.has(file)).map((file) => `${file} is left over`),
    ...retired.map(({ location }) => `${location} is retired and was not swept`),
  ];
};

/** Spans name parts that are there, and no two of a partition meet. */
const spans: Check = (lake) => {
  const all = spansOf(lake);
  return all.flatMap((span) => {
    const { dataset_id, key, first_version, end_version, row_count, retired_at } = span;
    const name = `the span ${dataset_id} ${key} from ${first_version}`;
    const others = all.filter(
      (other) => other !== span && other.dataset_id === dataset_id && other.key === key,
    );
    return [
      ...(row_count === null ? [`${name} has no part`] : []),
      ...(retired_at === null ? [] : [`${name} has a retired part`]),
      ...(end_version !== null && end_version <= first_version ? [`${name} is empty`] : []),
      ...(others.some((other) => isIn(other, first_version)) ? [`${name} meets another`] : []),
    ];
  });
};

/** Versions count up to the current one, and each that is retained adds up to its parts. */
const versions: Check = (lake) => {
  const datasets = lake.all<{ dataset_id: string; version: number; first_version: number }>(
    'SELECT * FROM dataset',
  );
  const all = spansOf(lake);
  return datasets.flatMap(({ dataset_id, version: current, first_version }) => {
    const rows = lake
      .all<VersionRow>('SELECT * FROM version ORDER BY version')
      .filter((row) => row.dataset_id === dataset_id);
    const numbers = rows.map(({ version }) => version);
    const due = Array.from({ length: current }, (_, at) => at + 1);
    const gaps = numbers.join() === due.join() ? [] : [`${dataset_id} has versions ${numbers}`];
    const retained = rows.filter(({ version }) => version >= first_version);
    return [
      ...gaps,
      ...retained.flatMap((row) => {
        const parts = all.filter(
          (span) => span.dataset_id === dataset_id && isIn(span, row.version),
        );
        const sum = (name: 'row_count' | 'byte_count') =>
          parts.reduce((total, part) => total + Number(part[name]), 0);
        const is = [parts.length, sum('row_count'), sum('byte_count')];
        const told = [row.part_count, row.row_count, row.byte_count];
        const digest = sumOf(parts.map(({ content_digest }) => content_digest ?? ''));
        return is.join() === told.join() && digest === row.content_digest
          ? []
          : [`version ${row.version} of ${dataset_id} is ${is} ${digest}, not ${told}`];
      }),
    ];
  });
};

/** Publications have ended, and exactly those that made versions are told to have. */
const ledger: Check = ({ all }) => {
  const running = all<{ publication_id: number }>(
    "SELECT publication_id FROM publication WHERE state = 'running' AND life_mark IS NOT NULL",
  );
  const unlinked = all<{
    name: string;
  }>(`SELECT version.dataset_id || ' ' || version.version AS name
    FROM version LEFT JOIN publication_dataset AS made USING (publication_id, dataset_id, version)
    LEFT JOIN publication ON publication.publication_id = version.publication_id
    WHERE made.is_staged IS NULL OR state IS NULL OR state NOT IN ('published', 'rolled_back')`);
  const unmade = all<{ name: string }>(`SELECT made.dataset_id || ' ' || made.version AS name
    FROM publication_dataset AS made LEFT JOIN version USING (publication_id, dataset_id, version)
    WHERE made.version IS NOT NULL AND version.row_count IS NULL`);
  return [
    ...running.map(({ publication_id }) => `publication ${publication_id} still runs`),
    ...unlinked.map(({ name }) => `no publication made version ${name}`),
    ...unmade.map(({ name }) => `a publication made version ${name}, which is none`),
  ];
};

/** A publication's changes are the parts that begin or end with its versions. */
const changes: Check = (lake) => {
  const changed = lake.all<{ name: string; after_part_id: number | null; part_id: number | null }>(
    `SELECT made.dataset_id || ' ' || changed.key || ' of version ' || made.version AS name,
       after_part_id, (SELECT part_id FROM part_span AS span
         WHERE span.dataset_id = made.dataset_id AND span.key = changed.key
           AND span.first_version <= made.version
           AND (end_version IS NULL OR made.version < end_version)) AS part_id
     FROM publication_part AS changed
     JOIN publication_dataset AS made USING (publication_id, dataset_id)
     JOIN dataset USING (dataset_id)
     WHERE made.version >= dataset.first_version`,
  );
  const wrong = changed.filter(({ after_part_id, part_id }) => after_part_id !== part_id);
  return wrong.map(({ name, after_part_id, part_id }) => `${name}: ${after_part_id} is ${part_id}`);
};

/** Nothing is on its way in but for publications that are open. */
const onTheirWay: Check = ({ all }) => {
  const pending = all<{ location: string }>('SELECT location FROM pending_part');
  const staged = all<{ key: string }>(`SELECT key FROM staged_part
    JOIN publication USING (publication_id) WHERE state <> 'running'`);
  const unused = all<{ location: string }>(`SELECT location FROM part WHERE retired_at IS NULL
    AND part_id NOT IN (SELECT part_id FROM part_span)
    AND part_id NOT IN (SELECT part_id FROM staged_part WHERE part_id IS NOT NULL)`);
  return [
    ...pending.map(({ location }) => `${location} is pending`),
    ...staged.map(({ key }) => `${key} is staged for a publication that has ended`),
    ...unused.map(({ location }) => `${location} belongs to nothing and is not retired`),
  ];
};

const CHECKS: readonly Check[] = [storedParts, spans, versions, ledger, changes, onTheirWay];

/** Everything that does not agree in the lake of a home that nobody has open; it has been swept. */
export function disagreements(home: string): string[] {
  const database = new DatabaseSync(join(home, 'lake.db'), { readOnly: true });
  try {
    const all = <T>(sql: string) => database.prepare(sql).all() as T[];
    const broken = all<{ integrity_check: string }>('PRAGMA integrity_check');
    const lake = { directory: join(home, 'lake'), all };
    return [
      ...broken.map(({ integrity_check }) => integrity_check).filter((text) => text !== 'ok'),
      ...CHECKS.flatMap((check) => check(lake)),
    ];
  } finally {
    database.close();
  }
}
