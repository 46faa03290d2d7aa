/** The quote columns that minute bars of equities and of futures share. */
import type { LeanRow } from './feed.ts';
import type { QuoteBar } from './records.ts';

export function quotePrices({ bid, ask }: QuoteBar): LeanRow {
  return {
    OpenBidPrice: bid?.open ?? null,
    OpenAskPrice: ask?.open ?? null,
    HighBidPrice: bid?.high ?? null,
    HighAskPrice: ask?.high ?? null,
    LowBidPrice: bid?.low ?? null,
    LowAskPrice: ask?.low ?? null,
    CloseBidPrice: bid?.close ?? null,
    CloseBidSize: bid?.closeSize ?? null,
    CloseAskPrice: ask?.close ?? null,
    CloseAskSize: ask?.closeSize ?? null,
  };
}
