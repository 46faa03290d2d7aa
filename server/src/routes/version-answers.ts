/** Schemas of what is answered about versions and publications. */
import * as v from 'valibot';
import { flag, integer, text, texts, time } from '../schema/answer.ts';
import { PART_CHANGES, PUBLICATION_KINDS, PUBLICATION_STATES } from '../store/publications.ts';

/** Null where it would tell of rows that the account may not read. */
const amount = v.nullable(integer);

const VERSION_FIELDS = {
  version: integer,
  published_at: time,
  publication_id: integer,
  kind: v.picklist(PUBLICATION_KINDS),
  vendor: v.nullable(text),
  reason: v.nullable(text),
  is_current: flag,
  is_available: flag,
  row_count: amount,
  stored_bytes: amount,
  content_digest: v.nullable(text),
};
export const DATASET_VERSION = v.strictObject(VERSION_FIELDS);
export const DATASET_VERSION_PAGE = v.strictObject({
  data: v.array(DATASET_VERSION),
  pagination: v.strictObject({ before: amount, limit: integer, next_before: amount }),
});

const PARTITION_CHANGE = v.strictObject({
  partition: text,
  change: v.picklist(PART_CHANGES),
  rows_before: amount,
  rows_after: amount,
  stored_bytes_before: amount,
  stored_bytes_after: amount,
});
export const DATASET_VERSION_DETAIL = v.strictObject({
  ...VERSION_FIELDS,
  dataset_id: text,
  partitions: v.array(PARTITION_CHANGE),
  pagination: v.strictObject({
    after: v.nullable(text),
    limit: integer,
    next_after: v.nullable(text),
  }),
});

export const PUBLICATION_EVENT = v.strictObject({
  publication_id: integer,
  state: v.picklist(PUBLICATION_STATES),
  kind: v.picklist(PUBLICATION_KINDS),
  finished_at: time,
  vendor: v.nullable(text),
  reason: v.nullable(text),
  message: v.nullable(text),
  datasets: v.array(
    v.strictObject({
      dataset_id: text,
      dataset_name: v.nullable(text),
      version: v.nullable(integer),
      partition_count: integer,
      partitions: texts,
    }),
  ),
});
export const PUBLICATION_FEED = v.strictObject({
  data: v.array(PUBLICATION_EVENT),
  pagination: v.strictObject({
    after: integer,
    limit: integer,
    next_after: integer,
    has_more: flag,
  }),
});
