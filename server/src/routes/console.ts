/**
 * The paths that are for browsers: the landing page, the documentation, the reference of the
 * interface, and the web console: its files, and one page for every screen, which the console
 * itself tells apart by the path.
 */

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { REPOSITORY, SERVICE_VERSION } from '../base/installation.ts';
import type { Services } from './endpoint.ts';
import { type Forms, sendForm, sendStatic, staticAnswer } from './http-headers.ts';
import { refuseMethod, refuseUnknown, type ServedPaths } from './served-paths.ts';

const CONSOLE_PATH = '/console/';
const LOGO_PATH = `${CONSOLE_PATH}logo`;

/** Lists pages as Markdown, for language models. */
const LANGUAGE_MODEL_PAGES = 'docs/llms.txt';

/** Pages of the build that need nobody to be signed in, by their paths. */
const PUBLIC_PAGES: Readonly<Record<string, string>> = {
  '/': 'landing.html',
  '/datasets/*': 'landing.html',
  '/reference': 'reference.html',
  '/llms.txt': LANGUAGE_MODEL_PAGES,
};

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** On every answer that is for browsers. */
const SECURITY_HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
};

/** The page of every screen. */
const PAGE = 'index.html';

/** Below the interface's prefix, by the page that asks for it at once. */
const ASKED_FIRST: Readonly<Record<string, string>> = {
  [PAGE]: '/session',
  'landing.html': '/status',
  'reference.html': '/openapi.json',
};

/** Has browsers fetch what a page asks for while they load its scripts. */
function preload(path: string, prefix: string): string | undefined {
  const asked = ASKED_FIRST[path];
  return (
    asked &&
    [`${CONSOLE_PATH}config.json`, `${prefix}${asked}`]
      .map((url) => `<${url}>; rel=preload; as=fetch; crossorigin`)
      .join(', ')
  );
}

/** The source of `/docs`. */
const FIRST_PAGE = 'docs/quickstart/get-data.md';

/** Files here are named by what is in them. */
const HASHED_FILES = 'assets/';

const CACHING = {
  always: 'public, max-age=31536000, immutable',
  asked: 'public, max-age=0',
} as const;

const NO_STORE = 'no-store';
const SERVED_METHODS = ['GET', 'HEAD'] as const;

/** The file of the build that a path leads to. */
interface ChosenFile {
  readonly path: string;
  readonly caching: string;
  /** True for the first page of a kind, which says so where nothing was built. */
  readonly isPage: boolean;
}

/** A path whose last segment has an extension is a file, any other one a screen. */
function consoleFile(path: string): ChosenFile {
  if (extname(path) === '' || path === PAGE) return { path: PAGE, caching: NO_STORE, isPage: true };
  const caching = path.startsWith(HASHED_FILES) ? CACHING.always : CACHING.asked;
  return { path, caching, isPage: false };
}

/**
 * A path whose last segment has no extension is a page; the others are pictures and sources of
 * pages.
 */
function documentationFile(path: string): ChosenFile {
  const name = path.replace(/\/$/, '') || 'index';
  const file = extname(name) === '' ? `docs/${name}.html` : `docs/${name}`;
  return { path: file, caching: CACHING.asked, isPage: name === 'index' };
}

/** One path for reading alone. */
function registerReading(
  scope: FastifyInstance,
  paths: ServedPaths,
  url: string,
  handler: (request: FastifyRequest, reply: FastifyReply) => unknown,
): void {
  scope.route({ method: [...SERVED_METHODS], url, handler: async (...both) => handler(...both) });
  paths.add({
    url,
    isSharing: false,
    refuse: (_request, reply) => refuseMethod(reply.headers(SECURITY_HEADERS), SERVED_METHODS),
  });
}

/** Serves the console and the public pages from `folder`. */
export function registerConsole(
  app: FastifyInstance,
  services: Services,
  paths: ServedPaths,
  folder: string,
): void {
  const files = new ConsoleFiles(folder);
  const { name, text, logo: logoFile, contact, hasPublicCatalogue } = services.site;
  // Pages need first where the interface is, and who offers it.
  const site = {
    api: services.config.prefixes[0],
    version: SERVICE_VERSION,
    ...{ name, text, contact },
    logo: logoFile && LOGO_PATH,
    has_public_catalogue: hasPublicCatalogue,
    sends_email: services.config.mailServer !== null,
  };
  const { logo: file } = services.site;
  const logo = file && staticAnswer(file.body, file.contentType);
  app.register(async (scope) => {
    // When it is sent, so that it is on what is refused before a route is begun, too.
    scope.addHook('onSend', (_request, reply, _body, done) => {
      reply.headers(SECURITY_HEADERS);
      done();
    });
    const register = (url: string, choose: (path: string) => ChosenFile) =>
      registerReading(scope, paths, url, (request, reply) => {
        const { '*': below = '' } = request.params as { '*'?: string };
        const { path, caching, isPage } = choose(below);
        const link = preload(path, site.api);
        if (link) reply.header('link', link);
        const forms = files.find(path);
        if (!forms && isPage) {
          return reply
            .code(404)
            .header('cache-control', NO_STORE)
            .type('text/plain; charset=utf-8')
            .send('The console has not been built yet: npm start or npm run setup does that\n');
        }
        if (forms) sendForm(request, reply, forms, caching);
        else refuseUnknown(request, reply);
        return reply;
      });
    for (const [url, path] of Object.entries(PUBLIC_PAGES)) {
      register(url, () => ({ path, caching: CACHING.asked, isPage: true }));
    }
    for (const url of ['/docs', '/docs/*']) register(url, documentationFile);
    for (const url of [CONSOLE_PATH.slice(0, -1), `${CONSOLE_PATH}*`]) register(url, consoleFile);
    registerReading(scope, paths, `${CONSOLE_PATH}config.json`, (_request, reply) =>
      reply.header('cache-control', NO_STORE).send(site),
    );
    if (logo) {
      registerReading(scope, paths, LOGO_PATH, (request, reply) =>
        sendStatic(request, reply, logo, CACHING.asked),
      );
    }
  });
}

/** Names of files that builds make: no folder or file begins with a dot. */
const FILE_PATH = /^(?:[\w-][\w.-]*\/)*[\w-][\w.-]*$/;

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'application/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
};
const UNKNOWN_TYPE = 'application/octet-stream';

/** By what the encoding adds to a file's name; the preferred one first. */
const ENCODINGS: Readonly<Record<string, string>> = { br: '.br', gzip: '.gz' };

function readFiles(folder: string): ReadonlyMap<string, Forms> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(folder, path)).isFile())
    .map((path) => path.replaceAll(sep, '/'))
    .filter((path) => FILE_PATH.test(path));
  return new Map(paths.map((path) => [path, formsOf(folder, path, paths)]));
}

export class ConsoleFiles {
  readonly #folder: string;
  #files: ReadonlyMap<string, Forms> = new Map();

  /** The folder may be missing, and appear later as a whole. */
  constructor(folder: string) {
    this.#folder = folder;
    this.#look();
  }

  #look(): void {
    if (this.#files.size === 0 && existsSync(this.#folder)) this.#files = readFiles(this.#folder);
  }

  /** Undefined without such a file. */
  find(path: string): Forms | undefined {
    this.#look();
    return this.#files.get(path) ?? (this.#files.size === 0 ? sourceForms(path) : undefined);
  }
}

/** In a clone without a build: the list of pages for language models, or a page that it names. */
function sourceForms(path: string, root = REPOSITORY): Forms | undefined {
  if (root === null || !path.startsWith('docs/')) return undefined;
  if (!existsSync(join(root, LANGUAGE_MODEL_PAGES))) return undefined;
  const list = readFileSync(join(root, LANGUAGE_MODEL_PAGES), 'utf8');
  if (path !== LANGUAGE_MODEL_PAGES && !list.includes(`(/${path})`)) return undefined;
  const ofFolder = path.replace(/\.md$/, '/README.md');
  const sources =
    path === 'docs/index.md' ? [FIRST_PAGE] : [path, ofFolder, ofFolder.replace(/^docs\//, '')];
  const source = sources.find((each) => existsSync(join(root, each)));
  return source === undefined ? undefined : formsOf(root, source, []);
}

function formsOf(folder: string, path: string, paths: readonly string[]): Forms {
  const contentType = CONTENT_TYPES[extname(path)] ?? UNKNOWN_TYPE;
  const encoded = Object.entries(ENCODINGS).filter(([, ending]) => paths.includes(path + ending));
  return new Map(
    [...encoded, ['', ''] as const].map(([encoding, ending]) => [
      encoding,
      staticAnswer(readFileSync(join(folder, path + ending)), contentType),
    ]),
  );
}
