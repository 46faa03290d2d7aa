/**
 * The files of the web console, as a build made them: read once and kept in memory with their
 * compressed forms, of which no build has more than a few megabytes.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import { negotiate } from '@fastify/accept-negotiator';
import { type StaticAnswer, staticAnswer } from './static-answer.ts';

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

/** A file as it is sent to one client. */
export interface ConsoleFile {
  readonly answer: StaticAnswer;
  /** Null: as it is. */
  readonly encoding: string | null;
}

/** Each form that a file has, by its encoding; '' is the file itself. */
type Forms = ReadonlyMap<string, StaticAnswer>;

export class ConsoleFiles {
  readonly #files: ReadonlyMap<string, Forms>;

  /** Reads the folder, which may be missing. */
  constructor(folder: string) {
    const paths = existsSync(folder)
      ? readdirSync(folder, { recursive: true, encoding: 'utf8' })
          .filter((path) => statSync(join(folder, path)).isFile())
          .map((path) => path.replaceAll(sep, '/'))
          .filter((path) => FILE_PATH.test(path))
      : [];
    this.#files = new Map(paths.map((path) => [path, formsOf(folder, path, paths)]));
  }

  /** The file in the form that the client's `Accept-Encoding` asks for; undefined without one. */
  find(path: string, acceptEncoding = ''): ConsoleFile | undefined {
    const forms = this.#files.get(path);
    const plain = forms?.get('');
    if (!forms || !plain) return undefined;
    const encoding = negotiate(acceptEncoding, [...forms.keys()].filter(Boolean));
    const encoded = encoding === null ? undefined : forms.get(encoding);
    return encoded ? { answer: encoded, encoding } : { answer: plain, encoding: null };
  }
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
