/** The tables of docs/option-chains.md against the parameters and schemas of the code. */
import { expect, it } from 'vitest';
import { SOURCE_STATES } from '../../src/query/option-chain.ts';
import { OPTION_CHAIN_CONTRACT } from '../../src/routes/data-answers.ts';
import { CHAIN_CONTRACTS_MAX, CHAIN_FIELDS } from '../../src/routes/option-chain-endpoint.ts';
import { docsTable, docsText } from '../docs-table.ts';

const PAGE = 'option-chains.md';
const named = (rows: readonly (readonly string[])[]) =>
  rows.map(([name]) => name?.replaceAll('`', ''));

it('docs/option-chains.md has every parameter, field and state', () => {
  expect(named(docsTable(PAGE, 'Parameter', 'Means'))).toEqual(Object.keys(CHAIN_FIELDS));
  const fields = docsTable(PAGE, 'Field', 'Is', 'From');
  expect(named(fields)).toEqual(Object.keys(OPTION_CHAIN_CONTRACT.entries));
  expect(named(docsTable(PAGE, 'State', 'Means'))).toEqual([...SOURCE_STATES]);
  expect(docsText(PAGE)).toContain(`up to ${CHAIN_CONTRACTS_MAX}, which is the default`);
});
