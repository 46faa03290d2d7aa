/**
 * One side of the national best quote. Rows marked as national best set its price; its size is the
 * sum over all venues that stand at that price, kept from every venue's latest row.
 */
export class NationalBest {
  /** Ten-thousandths of a dollar; 0 before the first national best row. */
  ticks = 0;
  /** Shares. */
  size = 0;
  readonly #venueIndex = new Map<string, number>();
  readonly #venueTicks: number[] = [];
  readonly #venueSizes: number[] = [];

  /** A venue's new top quote; `ticks` 0 where it shows none. */
  update(venue: string, ticks: number, size: number, isNationalBest: boolean): void {
    let index = this.#venueIndex.get(venue);
    if (index === undefined) {
      index = this.#venueTicks.length;
      this.#venueIndex.set(venue, index);
    }
    const former = this.#venueTicks[index];
    this.#venueTicks[index] = ticks;
    this.#venueSizes[index] = size;
    if (isNationalBest) this.ticks = ticks;
    if (isNationalBest || former === this.ticks || ticks === this.ticks) this.#sumSize();
  }

  /** The size stays while no venue is left at the best: the row that names the next is to come. */
  #sumSize(): void {
    let size = 0;
    for (let i = 0; i < this.#venueTicks.length; i++)
      if (this.#venueTicks[i] === this.ticks) size += this.#venueSizes[i] as number;
    if (size > 0 && this.ticks > 0) this.size = size;
  }
}
