import { describe, expect, it } from 'vitest';
import { inOrder, PLAIN_LOOK, withFittingWidth, withPin, withWidth } from './grid-look';

const COLUMNS = ['TradeDate', 'Ticker', 'Price', 'Volume'].map((name) => ({ name }));
const namesOf = (look: typeof PLAIN_LOOK) => inOrder(COLUMNS, look).map(({ name }) => name);

describe('the look of the table', () => {
  it('has pinned columns first, and all where they were when none is', () => {
    const pinned = withPin(withPin(PLAIN_LOOK, 'Volume', true), 'Ticker', true);
    expect(namesOf(pinned)).toEqual(['Volume', 'Ticker', 'TradeDate', 'Price']);
    const one = withPin(pinned, 'Volume', false);
    expect(namesOf(one)).toEqual(['Ticker', 'TradeDate', 'Price', 'Volume']);
    expect(namesOf(withPin(one, 'Ticker', false))).toEqual(namesOf(PLAIN_LOOK));
  });

  it('has the widths that were chosen, until a column shall fit again', () => {
    const wide = withWidth(PLAIN_LOOK, 'Price', 333.3);
    expect(wide.widths).toEqual({ Price: 333 });
    expect(withFittingWidth(wide, 'Price').widths).toEqual({});
  });
});
