/** A table as aligned text. */
export interface TitledColumn {
  readonly title: string;
  readonly align: 'left' | 'right';
}

/** One line of titles and one for each row; no blanks at the ends of lines. */
export function alignedTable(
  columns: readonly TitledColumn[],
  rows: readonly (readonly string[])[],
): string {
  const titles = columns.map(({ title }) => title);
  const lines = [titles, ...rows];
  const widths = columns.map((_, c) => Math.max(...lines.map((line) => (line[c] ?? '').length)));
  return lines
    .map((line) =>
      columns.map(({ align }, c) => {
        const cell = line[c] ?? '';
        const width = widths[c] as number;
        return align === 'left' ? cell.padEnd(width) : cell.padStart(width);
      }),
    )
    .map((cells) => `${cells.join('  ').trimEnd()}\n`)
    .join('');
}
