/** Counts of what happens within a minute, by subjects of which nothing but their texts is known. */
export interface SharedRates {
  /**
   * Counts one time for each of `counted`, unless any of `judged` has been counted so many times in the last
   * minute; then null. The number is what `takeBack` needs. All servers of the store count together, by its
   * clock, and no two at the same moment.
   */
  count(
    judged: readonly string[],
    counted: readonly string[],
    timesMax: number,
  ): Promise<number | null>;

  /** Undoes a `count`. */
  takeBack(counted: readonly string[], moment: number): Promise<void>;
}
