/** `ticklake mcp`: the tools of a server, for programs that start one of their own. */
import { createInterface } from 'node:readline';
import { failureText } from '../base/failure-text.ts';
import { type Command, type CommandContext, EXIT, type OptionValues } from './command.ts';
import { clientOf, keyOf, SERVER_OPTIONS } from './server-commands.ts';

/** A message of the protocol, as far as its headers tell. */
interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: {
    readonly name?: unknown;
    readonly _meta?: Readonly<Record<string, unknown>>;
  };
}

const VERSION_MEMBER = 'io.modelcontextprotocol/protocolVersion';

/** Over HTTP, messages of the newer generation repeat in headers what they are. */
function headersOf({ method, params }: Message): Record<string, string> {
  const version = params?._meta?.[VERSION_MEMBER];
  if (typeof version !== 'string') return {};
  const name = typeof params?.name === 'string' ? { 'mcp-name': params.name } : {};
  return { 'mcp-protocol-version': version, 'mcp-method': String(method), ...name };
}

function errorOf(id: unknown, code: number, message: string) {
  return { jsonrpc: '2.0', id, error: { code, message } };
}

const PARSE_ERROR = -32_700;
const SERVER_ERROR = -32_000;

async function answerTo(line: string, url: string, key: string, signal: AbortSignal) {
  let id: unknown = null;
  try {
    const message = JSON.parse(line) as Message;
    id = message.id;
    const answer = await fetch(url, {
      method: 'POST',
      body: line,
      headers: {
        ...{ 'X-API-KEY': key, 'content-type': 'application/json' },
        ...{ accept: 'application/json, text/event-stream', ...headersOf(message) },
      },
      signal,
    });
    const body = await answer.text();
    // A notification has no id, and nobody waits for its answer.
    if (id === undefined) return null;
    const told = JSON.parse(/^data: *(\{.*\})$/m.exec(body)?.[1] ?? body);
    if (told.jsonrpc !== undefined) return told;
    return errorOf(id, SERVER_ERROR, `${answer.status}: ${JSON.stringify(told.detail)}`);
  } catch (error) {
    const code = id === null ? PARSE_ERROR : SERVER_ERROR;
    return id === undefined ? null : errorOf(id, code, failureText(error));
  }
}

async function runMcp(context: CommandContext, values: OptionValues) {
  const key = keyOf(context, values['key-file']);
  const url = `${clientOf(context, values).url}/mcp`;
  const { stdin, stdout, signal } = context;
  for await (const line of createInterface({ input: stdin, signal })) {
    if (line.trim() === '') continue;
    const answer = await answerTo(line, url, key, signal);
    if (answer !== null) stdout.write(`${JSON.stringify(answer)}\n`);
  }
  return { value: { url }, text: '', exitCode: EXIT.done };
}

export const mcp: Command = {
  name: ['mcp'],
  summary: 'give language models the tools of a server over standard input and output',
  options: SERVER_OPTIONS,
  run: runMcp,
};
