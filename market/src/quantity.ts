/**
 * Sizes and volumes, as whole numbers of the least unit of their column: shares or contracts, or a
 * decimal part of one. Their sums are exact whatever their size.
 */

/** A double where that is exact, else a bigint. */
export type Quantity = number | bigint;

export function quantityOf(units: bigint): Quantity {
  const near = Number(units);
  return Number.isSafeInteger(near) ? near : units;
}

const COLUMN = /(?:Volume|Size|Quantity|^OpenInterest)$|^TradeAt(?!.*Count$)/;

/** True if a column of market rows holds sizes or volumes, which may be fractions. */
export function isQuantityColumn(name: string): boolean {
  return COLUMN.test(name);
}

export function plus(one: Quantity, other: Quantity): Quantity {
  if (typeof one === 'number' && typeof other === 'number') {
    const sum = one + other;
    if (Number.isSafeInteger(sum)) return sum;
  }
  return quantityOf(BigInt(one) + BigInt(other));
}

export class QuantitySum {
  #near = 0;
  #far = 0n;

  reset(): void {
    this.#near = 0;
    this.#far = 0n;
  }

  add(quantity: Quantity): void {
    if (typeof quantity === 'bigint') {
      this.#far += quantity;
      return;
    }
    const sum = this.#near + quantity;
    // Below 2^53, sums and products of whole numbers are exact; none that is rounded is below.
    if (Number.isSafeInteger(sum)) {
      this.#near = sum;
      return;
    }
    this.#far += BigInt(this.#near);
    this.#near = quantity;
  }

  /** Adds `factor` times the quantity; `factor` is a safe integer. */
  addProduct(factor: number, quantity: Quantity): void {
    const product = typeof quantity === 'number' ? factor * quantity : Number.NaN;
    if (Number.isSafeInteger(product)) this.add(product);
    else this.#far += BigInt(factor) * BigInt(quantity);
  }

  get value(): Quantity {
    return this.#far === 0n ? this.#near : quantityOf(this.#far + BigInt(this.#near));
  }
}
