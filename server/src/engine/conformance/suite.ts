/** Tests that every engine has to pass, however it works. */
import { afterAll, beforeAll, describe, it } from 'vitest';
import type { Engine, EngineConfig } from '../engine.ts';
import { describeChecks } from './checks-suite.ts';
import { describeOlderParts } from './definitions-suite.ts';
import { describeGroups } from './groups-suite.ts';
import { describeIdentifierOrder } from './identifier-suite.ts';
import { describeMadeRows } from './made-rows-suite.ts';
import { describeParquet } from './parquet-suite.ts';
import {
  describeChangedRows,
  describeDayCounts,
  describeFoundRows,
  describeMissingRows,
  describeSamples,
  describeStream,
} from './reader-suite.ts';
import {
  describeEmptyParts,
  describeRowsReadAgain,
  describeStoredParts,
} from './stored-parts-suite.ts';
import { openingOf, TestedEngine } from './tested-engine.ts';
import {
  describeContentDigests,
  describeLosses,
  describeRefusals,
  describeReplacements,
  describeTellingOfParts,
  describeWrittenParts,
} from './writer-suite.ts';

/**
 * `settings` holds all engine settings but its home. `scale` is the size of its batches and row
 * groups relative to an engine for millions of rows; tests of many rows use it to fill more than
 * one. `share` is the share of the random cases to run.
 */
export function describeEngine<Config extends EngineConfig>(
  name: string,
  engine: Engine<Config>,
  settings: Omit<Config, 'home'>,
  { scale = 1, share = 1 } = {},
): void {
  describe(name, () => {
    const tested = new TestedEngine(openingOf(engine, settings), { scale, share });
    beforeAll(() => tested.open());
    afterAll(() => tested.close());

    it('answers when it is asked whether it can', () => tested.reader.check());
    describeWrittenParts(tested);
    describeReplacements(tested);
    describeLosses(tested);
    describeTellingOfParts(tested);
    describeContentDigests(tested);
    describeChecks(tested);
    describeRefusals(tested);
    describeStoredParts(tested);
    describeEmptyParts(tested);
    describeRowsReadAgain(tested);
    describeOlderParts(tested);
    describeFoundRows(tested);
    describeSamples(tested);
    describeChangedRows(tested);
    describeIdentifierOrder(tested);
    describeDayCounts(tested);
    describeGroups(tested);
    describeMissingRows(tested);
    describeStream(tested);
    describeParquet(tested);
    describeMadeRows(tested);
  });
}
