/** Numbers for people. */

const COUNT = new Intl.NumberFormat('en-US');
const BYTE_UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB'];
const THOUSAND = 1000;

/** `1,234,567`. */
export function countText(count: number): string {
  return COUNT.format(count);
}

/** Decimal units, three digits: `999 bytes`, `1.23 MB`, `45.6 GB`. */
export function bytesText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= THOUSAND && unit < BYTE_UNITS.length - 1) {
    value /= THOUSAND;
    unit += 1;
  }
  const digits = unit === 0 ? String(value) : value.toPrecision(value < THOUSAND ? 3 : 4);
  return `${Number(digits) === THOUSAND ? '1000' : digits} ${BYTE_UNITS[unit]}`;
}

/** `3 keys`, `1 key`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : many}`;
}

/** `3 of 12 rules` of a list that is narrowed, `12 rules` of a whole one. */
export function foundText(found: number, all: number, one: string, many = `${one}s`): string {
  return found === all
    ? plural(all, one, many)
    : `${countText(found)} of ${plural(all, one, many)}`;
}
