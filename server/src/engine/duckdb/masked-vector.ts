/** DuckDB's masks, as they are and as the product has them. */
import type { DuckDBVector } from '@duckdb/node-api';
import type { Mask } from '../columns.ts';

interface ValidityMask {
  /** One bit for each row, 1 where it has a value; null where every row has one. */
  readonly data: BigUint64Array | null;
}

/** The vector classes keep their mask private; reading it at once is what makes this fast. */
export function validBitsOf(vector: DuckDBVector): Uint8Array | null {
  const { data } = (vector as unknown as { validity: ValidityMask }).validity;
  return data && new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

export function nullsOf(validBits: Uint8Array | null, rowCount: number): Uint8Array | null {
  if (validBits === null) return null;
  const nulls = new Uint8Array(rowCount);
  for (let i = 0; i < nulls.length; i++) {
    nulls[i] = 1 - (((validBits[i >> 3] as number) >> (i & 7)) & 1);
  }
  return nulls;
}

/** Values in an array as the engine has them. */
export class MaskedVector<
  Type,
  Values extends { readonly length: number; readonly buffer: ArrayBuffer },
> implements Mask
{
  readonly type: Type;
  readonly values: Values;
  readonly validBits: Uint8Array | null;
  #nulls: Uint8Array | null | undefined;

  constructor(type: Type, values: Values, vector: DuckDBVector) {
    this.type = type;
    this.values = values;
    this.validBits = validBitsOf(vector);
  }

  /** Made when it is first asked for: not every format does. */
  get nulls(): Uint8Array | null {
    if (this.#nulls === undefined) this.#nulls = nullsOf(this.validBits, this.values.length);
    return this.#nulls;
  }
}
