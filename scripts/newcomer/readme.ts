/** The commands of the README, to be run as they are printed there. */
import { readFileSync } from 'node:fs';

/** The address of a server with default settings, as the README has it. */
export const README_ORIGIN = 'http://127.0.0.1:8080';

/** The blocks of shell commands in the section with this title, in their order. */
export function shellBlocks(title: string): string[] {
  const readme = readFileSync('README.md', 'utf8');
  const section = readme.split(/^## /m).find((text) => text.startsWith(`${title}\n`));
  if (section === undefined) throw new Error(`the README has no section ${title}`);
  return [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, commands = '']) => commands);
}
