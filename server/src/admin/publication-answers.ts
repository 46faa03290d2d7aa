/** Schemas of what is told of publications to administrators. */
import * as v from 'valibot';
import { anyObject, flag, integer, text, texts, time } from '../schema/answer.ts';
import { PART_CHANGES, PUBLICATION_KINDS, PUBLICATION_STATES } from '../store/publications.ts';

const PUBLISHED_DATASET = v.strictObject({
  dataset_id: text,
  /** Null: not published, or not yet. */
  version: v.nullable(integer),
  added_partition_count: integer,
  replaced_partition_count: integer,
  removed_partition_count: integer,
  row_count_before: integer,
  row_count_after: integer,
  byte_count_before: integer,
  byte_count_after: integer,
  content_digest: v.nullable(text),
  rolled_back_by: v.nullable(integer),
});

const SUMMARY_FIELDS = {
  publication_id: integer,
  kind: v.picklist(PUBLICATION_KINDS),
  state: v.picklist(PUBLICATION_STATES),
  is_open: flag,
  command: text,
  actor: text,
  reason: v.nullable(text),
  vendor: v.nullable(text),
  started_at: time,
  finished_at: v.nullable(time),
  message: v.nullable(text),
  source_count: integer,
  datasets: v.array(PUBLISHED_DATASET),
};
export const PUBLICATION_SUMMARY = v.strictObject(SUMMARY_FIELDS);
export const PUBLICATION_PAGE = v.strictObject({
  data: v.array(PUBLICATION_SUMMARY),
  pagination: v.strictObject({ limit: integer, next_before: v.nullable(integer) }),
});

/** How rows were computed from a source. */
const DERIVATION = v.strictObject({
  computation: text,
  rule_version: integer,
  /** Of the rows that come of it: how they differ from those of other datasets of the same computation. */
  variant: anyObject(),
  parameters: v.nullable(anyObject()),
  /** Versions of what was read; null: as the same publication made it, or nothing. */
  inputs: v.array(v.strictObject({ dataset_id: text, dataset_version: v.nullable(integer) })),
});

export const PUBLICATION_RECORD = v.strictObject({
  ...SUMMARY_FIELDS,
  /** The first ones. */
  sources: v.array(
    v.strictObject({
      ...{ dataset_id: text, name: text, byte_count: integer, sha256: text },
      derivation: v.nullable(DERIVATION),
    }),
  ),
  checks: v.array(
    v.strictObject({
      dataset_id: text,
      name: text,
      severity: v.picklist(['refuse', 'warn']),
      count: integer,
      examples: texts,
    }),
  ),
});

const PART_TOTALS = v.nullable(
  v.strictObject({ row_count: integer, byte_count: integer, content_digest: text }),
);
export const PUBLICATION_DIFF = v.strictObject({
  /** Null: between two versions. */
  publication_id: v.nullable(integer),
  datasets: v.array(
    v.strictObject({
      dataset_id: text,
      /** 0: nothing had been published. */
      from_version: integer,
      to_version: integer,
      /** Of all partitions that differ. */
      partition_count: integer,
      partitions: v.array(
        v.strictObject({
          key: text,
          change: v.picklist(PART_CHANGES),
          before: PART_TOTALS,
          after: PART_TOTALS,
        }),
      ),
      /** Ask for what is after this partition; null: this is the end. */
      next_after: v.nullable(text),
    }),
  ),
});

export const WITHDRAWAL = v.strictObject({
  is_dry_run: flag,
  removed_row_count: integer,
  /** Keys of the partitions that lose rows. */
  partitions: texts,
  publication: PUBLICATION_RECORD,
});

export const PRUNING = v.strictObject({
  is_dry_run: flag,
  byte_count: integer,
  datasets: v.array(
    v.strictObject({
      dataset_id: text,
      versions: v.array(integer),
      /** The first version that stays. */
      first_version: integer,
      byte_count: integer,
    }),
  ),
});
