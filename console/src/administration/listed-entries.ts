/** The entries of a list that was typed with commas, spaces or line breaks between them. */
export function listedEntries(text: string): readonly string[] {
  return [...new Set(text.split(/[\s,;]+/).filter((entry) => entry !== ''))];
}
