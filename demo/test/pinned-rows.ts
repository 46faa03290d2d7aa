/**
 * Digests of the rows that each computation makes of the demo's rows, in a file beside this one.
 * The version of the rules tells recomputed rows from older ones, so whoever changes rows has to
 * change it.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Dataset } from 'ticklake/catalog/dataset.ts';
import { inputsOf, waysOf } from 'ticklake/catalog/derivation.ts';
import { COMPUTATIONS } from 'ticklake/derive/computations.ts';
import { sumOfDigests } from 'ticklake/engine/content-digest.ts';
import type { Lake } from 'ticklake/lake/lake.ts';
import { catalog } from './generated-market.ts';

export const PINNED_ROWS_FILE = resolve(import.meta.dirname, 'pinned-rows.json');

interface PinnedRows {
  /**
   * Each way to compute the dataset, as `equity_trade_bars 1`, with the definition's part in it.
   */
  readonly rules: string;
  /** Digests of all rows of the inputs, and of those that come from them. */
  readonly inputs: string;
  readonly rows: string;
}

async function digestOf(lake: Lake, textId: string): Promise<string> {
  const { datasetId } = catalog.byTextId(textId) as Dataset;
  const parts = await lake.publishedParts(datasetId);
  return sumOfDigests(parts.map(({ contentDigest }) => contentDigest));
}

async function rowsOf(lake: Lake, dataset: Dataset): Promise<PinnedRows> {
  const ways = dataset.derivation ? waysOf(dataset.derivation) : [];
  const inputs = await Promise.all(inputsOf(dataset).map((textId) => digestOf(lake, textId)));
  const rules = ways.map(({ computation, parameters = {} }) => {
    const { ruleVersion } = COMPUTATIONS[computation];
    return `${computation} ${ruleVersion} ${JSON.stringify({ ...dataset.variant, ...parameters })}`;
  });
  return {
    rules: rules.join(', '),
    inputs: sumOfDigests(inputs),
    rows: await digestOf(lake, dataset.textId),
  };
}

/** By text id. */
export async function rowsToPin(lake: Lake, derived: readonly Dataset[]) {
  const entries = derived.map(async (dataset) => [dataset.textId, await rowsOf(lake, dataset)]);
  return Object.fromEntries(await Promise.all(entries)) as Record<string, PinnedRows>;
}

/**
 * Datasets whose rows are no longer those of the file, though inputs and rules say that they are.
 */
export function silentlyDifferent(now: Readonly<Record<string, PinnedRows>>): string[] {
  const pinned = JSON.parse(readFileSync(PINNED_ROWS_FILE, 'utf8')) as typeof now;
  const isAsPinned = (textId: string) =>
    pinned[textId]?.inputs === now[textId]?.inputs && pinned[textId]?.rules === now[textId]?.rules;
  return Object.keys(now).filter(
    (textId) => isAsPinned(textId) && pinned[textId]?.rows !== now[textId]?.rows,
  );
}
