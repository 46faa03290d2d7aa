/** The list of which `splitValueList` finds the values. */
export function joinValueList(values: readonly string[]): string {
  return values
    .map((value) => (/^"|,/.test(value) ? `"${value.replaceAll('"', '""')}"` : value))
    .join(',');
}

/**
 * The values of a comma-separated list. A value in double quotes may hold commas, and a quote
 * written twice; a quote elsewhere is a character like any other. Null when a quote is not closed
 * or is followed by anything but a comma.
 */
export function splitValueList(text: string): string[] | null {
  const values: string[] = [];
  let at = 0;
  while (true) {
    if (text[at] === '"') {
      const quoted = /^"((?:[^"]|"")*)"(?=,|$)/.exec(text.slice(at));
      if (!quoted) return null;
      values.push((quoted[1] as string).replaceAll('""', '"'));
      at += quoted[0].length;
    } else {
      const comma = text.indexOf(',', at);
      const end = comma === -1 ? text.length : comma;
      values.push(text.slice(at, end));
      at = end;
    }
    if (at === text.length) return values;
    at++;
  }
}
