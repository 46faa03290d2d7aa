/** `ticklake serve`: serves a home as it is. It makes no data, no accounts and no keys. */

import type { OpenServices } from '../open-services.ts';
import { homeGaps } from '../operation/home-state.ts';
import { type Command, type CommandContext, refuseArguments } from './command.ts';
import { firstQueryPath } from './first-query.ts';
import { serveHome } from './serve-home.ts';
import { type BannerRow, bannerText } from './start-banner.ts';

async function rowsOf(services: OpenServices, url: string): Promise<BannerRow[]> {
  const { config } = services;
  const api = `${url}${config.prefixes[0]}`;
  const path = await firstQueryPath(services);
  return [
    ['console', `${config.publicUrl ?? url}/console/`],
    ['describe', `${api}/openapi.json`],
    ...(path ? [['try', `curl -H "X-API-KEY: $KEY" '${api}${path}'`] as const] : []),
  ];
}

/** Lists what keeps people from reading data, each with the command that solves it, if there is one. */
async function gapLines(
  { commandLine, clock }: CommandContext,
  services: OpenServices,
): Promise<string[]> {
  const gaps = await homeGaps(services, clock.now());
  if (gaps.length === 0) return [];
  const lines = gaps.flatMap(({ text, words }) =>
    words === null ? [`  ${text}`] : [`  ${text} Run:`, `    ${commandLine(words)}`],
  );
  return ['Not ready for use yet:', ...lines];
}

/** Says where the server listens, and what its home lacks. */
export async function serveBanner(
  services: OpenServices,
  context: CommandContext,
  url: string,
): Promise<string> {
  return bannerText(url, await rowsOf(services, url), await gapLines(context, services));
}

export const serve: Command = {
  name: ['serve'],
  summary: 'serve the data of a home over HTTP',
  usage: '',
  options: {},
  run: (context, _values, positionals) => {
    refuseArguments('serve', positionals);
    return serveHome(context, async (services) => (url) => serveBanner(services, context, url));
  },
};
