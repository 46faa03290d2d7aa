/**
 * Records which files' functions run, and which file called each. `node --import` loads this before
 * the server and rewrites its sources so that each function reports when it is entered.
 */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseSync } from 'vite';

const SOURCES = pathToFileURL(join(import.meta.dirname, '../../src/')).href;

/** The folders that a request for a page itself goes through; see `request-path.test.ts`. */
const NOTED =
  /^(routes|request|query|plan|adjustments|intervals|symbology|response|receipts|delivery)\//;

/** A call of a function. Files are named below `server/src`. */
export interface Call {
  readonly file: string;
  /** The file of the nearest caller; null: none is below `server/src`. */
  readonly caller: string | null;
}

let calls: Call[] | null = null;

/** The calls while the work runs, in their order. */
export async function callsOf(work: () => Promise<unknown>): Promise<readonly Call[]> {
  const noted: Call[] = [];
  calls = noted;
  await work();
  calls = null;
  return noted;
}

const FRAMES = 12;
/**
 * Stack lines before the caller's: the message, and frames of this file and the traced function.
 */
const OWN_LINES = 3;

function callerIn(stack: string): string | null {
  const frames = stack.split('\n').slice(OWN_LINES);
  const frame = frames.find((each) => each.includes(SOURCES)) ?? '';
  return /^[^:]+/.exec(frame.split(SOURCES)[1] ?? '')?.[0] ?? null;
}

function noteCall(file: string): void {
  if (calls) calls.push({ file, caller: callerIn(new Error().stack ?? '') });
}

Error.stackTraceLimit = FRAMES;
Object.assign(globalThis, { noteCall });

/** A node of the syntax tree: ESTree, whose fields depend on the type. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly body?: Node | null;
}

function* nodesOf(value: unknown): Generator<Node> {
  if (typeof value !== 'object' || value === null) return;
  if ('type' in value) yield value as Node;
  for (const each of Object.values(value)) yield* nodesOf(each);
}

const FUNCTIONS = ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'];

/** The source with a note at the beginning of each function. */
function noting(source: string, file: string): string {
  const note = `noteCall(${JSON.stringify(file)})`;
  const insertions = [...nodesOf(parseSync(file, source).program)].flatMap(({ type, body }) => {
    if (!FUNCTIONS.includes(type) || !body) return [];
    const { start, end } = body;
    if (body.type === 'BlockStatement') return [{ at: start + 1, text: `${note};` }];
    return [
      { at: start, text: `(${note}, ` },
      { at: end, text: ')' },
    ];
  });
  return insertions
    .sort((a, b) => b.at - a.at)
    .reduce((text, { at, text: added }) => text.slice(0, at) + added + text.slice(at), source);
}

registerHooks({
  load: (url, context, nextLoad) => {
    const file = url.startsWith(SOURCES) ? url.slice(SOURCES.length) : '';
    if (!NOTED.test(file)) return nextLoad(url, context);
    const source = noting(readFileSync(fileURLToPath(url), 'utf8'), file);
    return { format: 'module-typescript', shortCircuit: true, source };
  },
});
