import { expect, it } from 'vitest';
import { sampleDataset } from '../../test/lake/sample-dataset.ts';
import type { PartWriter } from '../engine/engine.ts';
import type { RecordLoader } from '../engine/file-loading.ts';
import { type CsvSource, loadSources } from './load-sources.ts';

/** Each is a block of its own, as its columns come in another order. */
const TEXTS = {
  first: 'TradeDate,Ticker,EventDateTime,Strike\n2026-11-12,A,,1\n',
  second: 'Ticker,TradeDate,EventDateTime,Strike\nB,2026-11-12,,1\n',
};

const sources = Object.entries(TEXTS).map(
  ([displayName, text]): CsvSource => ({
    ...{ format: 'csv', displayName },
    async *open() {
      yield Buffer.from(text);
    },
  }),
);

/** Loads by `load`, of which the first block waits for the second. */
async function loadBoth(load: (name: string) => void): Promise<string[]> {
  const steps: string[] = [];
  const second = Promise.withResolvers<void>();
  const records: RecordLoader = {
    loadPlainRecords: async ({ fields }, turn) => {
      const isFirst = fields[0]?.name === 'TradeDate';
      const name = isFirst ? 'first' : 'second';
      steps.push(`${name} comes`);
      if (isFirst) await second.promise;
      else second.resolve();
      await turn;
      load(name);
      steps.push(`${name} is loaded`);
      return [];
    },
    loadNumberedRecords: () => Promise.reject(new Error('not plain')),
  };
  const writer = { records } as unknown as PartWriter;
  await loadSources(writer, sampleDataset('day'), sources, new AbortController().signal);
  return steps;
}

it('hands over a block while the one before it is loaded, and says when its turn comes', async () => {
  expect(await loadBoth(() => {})).toEqual([
    'first comes',
    'second comes',
    'first is loaded',
    'second is loaded',
  ]);
});

it('fails with the first block that fails', async () => {
  const load = (name: string) => {
    throw new Error(`${name} has failed`);
  };
  await expect(loadBoth(load)).rejects.toThrow('first has failed');
});
