/**
 * Values as SQL that no server can misread: texts as the hexadecimal of their bytes, numbers as the
 * hexadecimal of their bits, integers as digits. Pure.
 */
const NUMBER_BYTES = 8;

/** A text or bytes in a statement, which has nothing else between quotes; not an empty one. */
export const TEXT_LITERAL = /'(?:\\x[0-9a-f]{2})+'/g;

function hexLiteral(bytes: Buffer): string {
  return `'${bytes.toString('hex').replaceAll(/../g, '\\x$&')}'`;
}

export function textSql(value: string): string {
  return hexLiteral(Buffer.from(value));
}

export function bytesSql(value: Buffer): string {
  return hexLiteral(value);
}

/** An integer of 64 bits. */
export function integerSql(value: bigint | number): string {
  return BigInt(value).toString();
}

/** A number of 64 bits, to the last of them. */
export function numberSql(value: number): string {
  const bits = Buffer.alloc(NUMBER_BYTES);
  bits.writeDoubleLE(value);
  return `reinterpretAsFloat64(${hexLiteral(bits)})`;
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** A name that the catalogue or this folder has made. */
export function nameSql(name: string): string {
  if (!NAME.test(name)) throw new Error(`${name} is no name`);
  return `\`${name}\``;
}
