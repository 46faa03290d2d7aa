/** Names and literals as they stand in SQL text, for what cannot be bound as a parameter. */

/** A column or table name. Names come from the catalogue; quotes are doubled all the same. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A text literal, such as the program's own file paths. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
