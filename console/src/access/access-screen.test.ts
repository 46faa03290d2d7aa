import type { DataAccessRule } from '@ticklake/client';
import { describe, expect, it } from 'vitest';
import { isRuleFound } from './access-screen';

function rule(id: string, name: string, textId: string, universe: string[] = []): DataAccessRule {
  return {
    dataset_id: id,
    dataset_name: name,
    dataset_text_id: textId,
    dataset_version: 'latest',
    start_date: '2020-01-01',
    end_date: null,
    universe_identifiers: universe,
  };
}

const TRADES = rule('US1', 'Equity trades', 'eq_trades', ['AAPL', 'MSFT']);
const OPTIONS = rule('US2', 'Option quotes', 'opt_quotes');
const RULES = [TRADES, OPTIONS];
const found = (text: string) => RULES.filter((each) => isRuleFound(each, text));

describe('searching the rules', () => {
  it('finds all of them where nothing is searched', () => {
    expect(found('  ')).toEqual(RULES);
  });

  it.each([
    ['equity', TRADES],
    ['us2', OPTIONS],
    ['OPT_', OPTIONS],
    ['aapl', TRADES],
  ])('finds by part of a name or id, or by a whole identifier: %s', (text, expected) => {
    expect(found(text)).toEqual([expected]);
  });

  it('finds nothing by part of an identifier', () => {
    expect(found('aap')).toEqual([]);
  });
});
