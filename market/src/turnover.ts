import { roundRatio } from './rounding.ts';

/** Shares and their worth in ten-thousandths of a dollar: whole numbers, exact below 2^53. */
export class Turnover {
  shares = 0;
  worth = 0;

  reset(): void {
    this.shares = this.worth = 0;
  }

  add(ticks: number, shares: number): void {
    this.shares += shares;
    this.worth += ticks * shares;
  }
}

/** Average price of several turnovers in dollars, six decimals; NaN without shares. */
export function averagePrice(...turnovers: readonly Turnover[]): number {
  let shares = 0;
  let worth = 0;
  for (const turnover of turnovers) {
    shares += turnover.shares;
    worth += turnover.worth;
  }
  return shares === 0 ? Number.NaN : roundRatio(worth, 100, shares) / 1e6;
}
