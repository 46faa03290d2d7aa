/**
 * Names and ids of Delta Sharing. A name has no case, space, slash or dot; an id is a UUID that stays the
 * same for as long as its subject. Pure.
 */
import { hash } from 'node:crypto';
import type { Dataset } from '../catalog/dataset.ts';
import type { Identity } from '../store/identities.ts';

/** Small letters, digits, hyphens and underscores; '' where a text has none of them. */
function plainName(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9-]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, 255);
}

/** The share of an account, which is all that it may read. */
export function shareName({ identityId, name }: Pick<Identity, 'identityId' | 'name'>): string {
  return plainName(name) || `account_${identityId}`;
}

/** The schema of a dataset: its data group. */
export function schemaName({ dataGroup }: Pick<Dataset, 'dataGroup'>): string {
  return plainName(dataGroup) || 'datasets';
}

/** A UUID of version 8, made of words. */
function idOf(words: readonly (string | number)[]): string {
  const digits = hash('sha256', JSON.stringify(words), 'hex');
  const blocks = [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `8${digits.slice(13, 16)}`,
    `8${digits.slice(17, 20)}`,
    digits.slice(20, 32),
  ];
  return blocks.join('-');
}

export function shareId({ identityId }: Pick<Identity, 'identityId'>): string {
  return idOf(['share', identityId]);
}

/** The same dataset is another table to another account, whose rules are cut in. */
export function tableId(
  { identityId }: Pick<Identity, 'identityId'>,
  { datasetId }: Pick<Dataset, 'datasetId'>,
): string {
  return idOf(['table', identityId, datasetId]);
}
