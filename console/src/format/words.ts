/** Words for people. */

/** `Rolled back` of `rolled_back` or `rolled back`. */
export function sentenceCase(text: string): string {
  const words = text.replaceAll('_', ' ');
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}
