/** The text shown when a server starts: its address, a row for each fact, and notes. */

/** A label and what it stands for. */
export type BannerRow = readonly [label: string, text: string];

/** `url` is the address that the server listens on. Ends with a line break. */
export function bannerText(
  url: string,
  rows: readonly BannerRow[],
  notes: readonly string[],
): string {
  const width = Math.max(...rows.map(([label]) => label.length));
  const lines = rows.map(([label, text]) => `  ${label.padEnd(width)}   ${text}`);
  const banner = [`Ticklake is listening on ${url}`, ...lines, ...notes];
  return banner.map((line) => `${line}\n`).join('');
}
