/** The tables of docs/option-chains.md against the schemas of the code. */
import { expect, it } from 'vitest';
import { SOURCE_STATES } from '../../src/query/option-chain.ts';
import { OPTION_CHAIN_CONTRACT } from '../../src/routes/data-answers.ts';
import { docsTable } from '../docs-table.ts';

const PAGE = 'option-chains.md';
const named = (rows: readonly (readonly string[])[]) =>
  rows.flatMap(([names = '']) => names.replaceAll('`', '').split(', '));

it('docs/option-chains.md has every field and state', () => {
  const fields = docsTable(PAGE, 'Field', 'Is', 'From');
  expect(named(fields)).toEqual(Object.keys(OPTION_CHAIN_CONTRACT.entries));
  expect(named(docsTable(PAGE, 'State', 'Means'))).toEqual([...SOURCE_STATES]);
});
