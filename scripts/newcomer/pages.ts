/** The commands of pages, to be run as they are printed there. */
import { readFileSync } from 'node:fs';

/** The address of a server with default settings, as pages have it. */
export const DEFAULT_ORIGIN = 'http://127.0.0.1:8080';

/** The blocks of shell commands of a page, or in its section with this title, in their order. */
export function shellBlocks(page: string, title?: string): string[] {
  const text = readFileSync(page, 'utf8');
  const isMeant = (section: string) => section.startsWith(`${title}\n`);
  const section = title === undefined ? text : text.split(/^## /m).find(isMeant);
  if (section === undefined) throw new Error(`${page} has no section ${title}`);
  const blocks = section.matchAll(/^```(?:sh|console)\n(.*?)^```$/gms);
  return [...blocks].map(([, commands = '']) => commands.replaceAll(/^\$ /gm, ''));
}
