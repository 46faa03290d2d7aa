/** What the person who starts the server reads: where it is, how to get in, and a first query. */
import type { Config } from './config.ts';
import type { PreparedDemo } from './demo/prepare-demo.ts';

function keyText({ key, keyFile }: PreparedDemo): string {
  if (key !== null) return `${key}   (also in ${keyFile})`;
  return 'as you made it, or: ticklake key create --identity ID --name NAME --expires-in 90d';
}

/** The password of a new owner is shown here and nowhere else. */
function signInText({ signIn, hasPeople }: PreparedDemo): string {
  if (signIn !== null) return `${signIn.email}   ${signIn.password}   (shown this once)`;
  if (hasPeople) return 'as before, or: ticklake user reset-password --user ID';
  return 'first make an owner: ticklake user create --owner --email E';
}

/** `url` is the address that the server listens on. Ends with a line break. */
export function startBanner(url: string, config: Config, demo: PreparedDemo): string {
  const [prefix] = config.prefixes;
  const query = `${url}${prefix}${demo.firstPath}`;
  const lines = [
    `Ticklake is listening on ${url}`,
    `  console   ${config.publicUrl ?? url}/console/`,
    `  sign in   ${signInText(demo)}`,
    `  API key   ${keyText(demo)}`,
    `  try       curl -H 'X-API-KEY: ${demo.key ?? '<key>'}' '${query}'`,
    `  describe  ${url}${prefix}/openapi.json`,
  ];
  return `${lines.join('\n')}\n`;
}
