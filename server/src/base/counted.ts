/** Numbers of things in texts that people read. */

/** `1 row`, `2,000 rows`: of nouns that take an s. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;
}
