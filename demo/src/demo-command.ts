/** `ticklake demo`: serves an invented market from a home of its own, which it makes first. */

import { UsageError } from 'ticklake/base/errors.ts';
import { failureText } from 'ticklake/base/failure-text.ts';
import {
  type Command,
  type CommandContext,
  type CommandResult,
  shellWord,
} from 'ticklake/cli/command.ts';
import { isTerminal } from 'ticklake/cli/progress-bar.ts';
import { type BannerRow, bannerText, firstQueryPath, serveHome } from 'ticklake/cli/serve.ts';
import type { OpenServices } from 'ticklake/open-services.ts';
import {
  claimDemoHome,
  DEMO_OWNER_EMAIL,
  demoKeyFile,
  demoPasswordFile,
  liveDemoKey,
  liveDemoPassword,
} from './demo-home.ts';
import { demoQueryPath } from './demo-market.ts';
import { prepareDemo } from './prepare-demo.ts';

/** A secret where a person reads it for the first time, else only the file that has it. */
function secretText(secret: string, file: string, isShown: boolean): string {
  return isShown ? `${secret}   (also in ${file})` : `in ${file}`;
}

async function signInText({ config, store }: OpenServices, isShown: boolean): Promise<string> {
  const password = await liveDemoPassword(store, config.home);
  if (password === null) return 'as you set it up';
  const text = secretText(password, demoPasswordFile(config.home), isShown);
  return `${DEMO_OWNER_EMAIL}   password ${text}`;
}

async function keyText({ clock, config, store }: OpenServices, isShown: boolean): Promise<string> {
  const key = await liveDemoKey(store, clock.now(), config.home);
  if (key === null) return 'as you set it up';
  return secretText(key, demoKeyFile(config.home), isShown);
}

async function rowsOf(services: OpenServices, url: string, isShown: boolean): Promise<BannerRow[]> {
  const { catalog, config, lake } = services;
  const api = `${url}${config.prefixes[0]}`;
  const path = (await demoQueryPath(catalog, lake)) ?? (await firstQueryPath(services));
  const keyFile = shellWord(demoKeyFile(config.home));
  return [
    ['console', `${config.publicUrl ?? url}/console/`],
    ['sign in', await signInText(services, isShown)],
    ['API key', await keyText(services, isShown)],
    ['try', `curl -H "X-API-KEY: $(cat ${keyFile})" '${api}${path ?? '/meta/datasets'}'`],
    ['describe', `${api}/openapi.json`],
  ];
}

/** How to go on with data of one's own, in another home than this one. */
function ownDataLines({ commandLine, isDefaultHome }: CommandContext): string[] {
  const home = isDefaultHome ? undefined : 'DIR';
  const steps = [
    'init --email you@example.com --account NAME',
    'ingest <dataset> <file...>',
    'rule add --identity 1 --dataset <dataset>',
    'serve',
  ];
  return [
    'Put your own data in a home of its own:',
    ...steps.map((words) => `  ${commandLine(words, home)}`),
  ];
}

/** Secrets are in it on the first start only, and only if a person reads it. */
export async function demoBanner(
  services: OpenServices,
  context: CommandContext,
  url: string,
  isFirst: boolean,
): Promise<string> {
  const isShown = isFirst && isTerminal(context.stdout);
  return bannerText(url, await rowsOf(services, url, isShown), ownDataLines(context));
}

async function run(context: CommandContext): Promise<CommandResult> {
  const { config, clock, signal, stdout } = context;
  await claimDemoHome(config, clock);
  return await serveHome(context, async (services) => {
    const report = (line: string) => stdout.write(`${line}\n`);
    const { isFirst, finish } = await prepareDemo(services, { report, signal });
    const whileServing = async () => {
      try {
        await finish?.();
      } catch (error) {
        const reason = signal.aborted ? 'interrupted' : failureText(error);
        const next = error instanceof UsageError ? '' : '. The next start makes it again';
        report(`The market is not complete: ${reason}${next}`);
      }
    };
    return { banner: (url) => demoBanner(services, context, url, isFirst), whileServing };
  });
}

export const demo: Command = {
  name: ['demo'],
  summary: 'try everything with an invented market, in a home of its own',
  defaultHome: '.ticklake/demo',
  writesLog: true,
  run,
};
