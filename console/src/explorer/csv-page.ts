/**
 * One page of CSV. The text is kept as it came, with the places where its rows begin: cells are cut
 * out when they are shown, so that a page costs little time and its own size in memory.
 */

/** A field of a row exactly as the service wrote it; null where the value is missing. */
export type Cell = string | null;

export interface CsvPage {
  readonly rowCount: number;
  /** Characters that it holds in memory. */
  readonly size: number;
  row(index: number): Cell[];
}

const QUOTE = '"';

/**
 * Finds where lines end: at a line feed outside of quotes, or at the text's end. To be asked from the
 * first line to the last, as it remembers the next quote.
 */
function lineEnds(text: string): (start: number) => number {
  const after = (found: number) => (found === -1 ? text.length : found);
  let quote = after(text.indexOf(QUOTE));
  return (start) => {
    let at = start;
    for (;;) {
      const end = after(text.indexOf('\n', at));
      if (quote < at) quote = after(text.indexOf(QUOTE, at));
      if (quote >= end) return end;
      // A doubled quote opens again at once.
      at = after(text.indexOf(QUOTE, quote + 1)) + 1;
    }
  };
}

/** The fields of one line by RFC 4180; an empty field in quotes is the empty text. */
export function splitLine(line: string): Cell[] {
  if (!line.includes(QUOTE)) return line.split(',').map((field) => (field === '' ? null : field));
  const cells: Cell[] = [];
  let at = 0;
  for (;;) {
    if (line[at] === QUOTE) {
      let close = at + 1;
      for (;;) {
        close = line.indexOf(QUOTE, close);
        if (close === -1) close = line.length;
        if (line[close + 1] !== QUOTE) break;
        close += 2;
      }
      cells.push(line.slice(at + 1, close).replaceAll('""', QUOTE));
      at = close + 1;
    } else {
      const comma = line.indexOf(',', at);
      const end = comma === -1 ? line.length : comma;
      cells.push(end === at ? null : line.slice(at, end));
      at = end;
    }
    if (at >= line.length) return cells;
    at += 1;
  }
}

/** Takes the header line off; the rows follow. */
export function splitHeader(text: string): { readonly columns: string[]; readonly rows: string } {
  const end = lineEnds(text)(0);
  const columns = splitLine(text.slice(0, end)).map((name) => name ?? '');
  return { columns, rows: text.slice(end + 1) };
}

/** Reads rows without a header line, each ended by a line feed. `rowsMax`: at most so many. */
export function readCsvPage(text: string, rowsMax: number): CsvPage {
  const starts = new Uint32Array(rowsMax + 1);
  const lineEnd = lineEnds(text);
  let rowCount = 0;
  let at = 0;
  while (at < text.length && rowCount < rowsMax) {
    starts[rowCount] = at;
    rowCount += 1;
    at = lineEnd(at) + 1;
  }
  starts[rowCount] = at;
  return {
    rowCount,
    size: text.length,
    row: (index) =>
      splitLine(text.slice(starts[index] as number, (starts[index + 1] as number) - 1)),
  };
}
