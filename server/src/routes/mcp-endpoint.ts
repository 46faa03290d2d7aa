/**
 * The door for language models: the Model Context Protocol, without sessions. What a tool asks is a
 * request of its own, which is admitted, judged and counted like any other.
 */
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import type { FastifyReply } from 'fastify';
import * as v from 'valibot';
import { type Fault, optional, required } from '../admin/field.ts';
import { choiceOf, SEARCHED_TEXT } from '../admin/field-kinds.ts';
import { ApiError } from '../base/errors.ts';
import { SERVICE_VERSION } from '../base/installation.ts';
import { anyObject } from '../schema/answer.ts';
import { legal } from '../schema/schema.ts';
import { TOOL_ANSWER } from './answers.ts';
import { type KeyedExchange, keyedEndpoint, type Services } from './endpoint.ts';
import { STATUS_OF } from './error-status.ts';
import { requestOrigin } from './http-headers.ts';
import { bodyInput, readInput } from './request-fields.ts';
import { boundedText, Refusal, refusalOf } from './tool-answers.ts';
import { TOOLS, type Tool, type ToolContext } from './tools.ts';

type McpExchange = KeyedExchange<Services>;

const MESSAGE_FIELDS = {
  jsonrpc: required(choiceOf(['2.0']), 'The version of JSON-RPC'),
  method: required(SEARCHED_TEXT, 'Such as server/discover, tools/list or tools/call'),
  id: optional(
    v.pipe(v.union([v.string(), v.number()]), legal('a text or a number')),
    'Comes back with the answer; a notification has none',
  ),
  params: optional(v.pipe(anyObject(), legal('an object')), 'As the method has them'),
};

/** Headers about the body and form of the request itself, which what a tool asks does not have. */
const OWN_HEADERS =
  /^(accept|connection|content-|expect|if-|mcp-|prefer|range|te$|tr|upgrade|want-)/;
const PROTOCOL_HEADERS = /^(accept$|content-type$|mcp-)/;

function headersLike({ request }: McpExchange, isWanted: (name: string) => boolean) {
  const entries = Object.entries(request.headers).filter(
    ([name, value]) => value !== undefined && isWanted(name),
  );
  return Object.fromEntries(entries) as Record<string, string>;
}

function contextOf(exchange: McpExchange, signal: AbortSignal): ToolContext {
  const { request, services } = exchange;
  const [prefix = ''] = services.config.prefixes;
  return {
    catalog: services.catalog,
    origin: `${requestOrigin(request, services.config)}${prefix}`,
    async ask(path, ...parameters) {
      const { remoteAddress } = request.socket;
      // Without the address there is nothing to hold the rules of addresses to.
      if (remoteAddress === undefined) throw new Refusal({ detail: 'The client went away' });
      // A name that is given twice stays so, and is refused.
      const given = parameters
        .flatMap((each) => Object.entries(each ?? {}))
        .filter(([, value]) => value !== undefined);
      const query = new URLSearchParams(given.map(([name, value]) => [name, `${value}`]));
      const { statusCode, headers, payload } = await request.server.inject({
        url: `${prefix}/${path.map(encodeURIComponent).join('/')}?${query}`,
        headers: headersLike(exchange, (name) => !OWN_HEADERS.test(name)),
        ...{ remoteAddress, signal },
      });
      const told = { status: statusCode, headers, body: JSON.parse(payload) };
      if (statusCode !== 200) throw refusalOf(told);
      return told;
    },
  };
}

/** Requests that a tool makes log their own failures; the tool itself has to log any other. */
function ownRefusal({ request }: McpExchange, { kind, message: detail }: ApiError): Refusal {
  const status = STATUS_OF[kind];
  if (status >= 500) request.log.warn({ req: request, status }, detail);
  return refusalOf({ status, headers: {}, body: { detail } });
}

async function callTool(exchange: McpExchange, tool: Tool, input: unknown) {
  const content = (text: string) => [{ type: 'text' as const, text }];
  const gone = new AbortController();
  const onClose = () => gone.abort();
  exchange.client.once('close', onClose);
  try {
    await exchange.services.toolRate.count(exchange.caller);
    const { answer, list } = await tool.run(contextOf(exchange, gone.signal), input);
    return { content: content(boundedText(answer, list)) };
  } catch (error) {
    const refusal = error instanceof ApiError ? ownRefusal(exchange, error) : error;
    if (refusal instanceof Refusal) {
      return { isError: true, content: content(boundedText(refusal.told, 'detail')) };
    }
    // The protocol's package would repeat any other error to the caller.
    if (!gone.signal.aborted) exchange.log.error({ err: error }, `The tool ${tool.name} failed`);
    return { isError: true, content: content('{"detail":"Internal server error"}') };
  } finally {
    exchange.client.off('close', onClose);
  }
}

const INSTRUCTIONS =
  'Historical US market data. Call find_datasets, then describe_dataset, then query or aggregate. ' +
  'Answer only from rows that a tool returned, and name dataset_version with them.';

/** The package is large, and most servers are never asked for it. */
async function serveTools(exchange: McpExchange): Promise<FastifyReply> {
  const { createMcpHandler, McpServer } = await import('@modelcontextprotocol/server');
  const serverOf = () => {
    const server = new McpServer(
      { name: 'ticklake', version: SERVICE_VERSION },
      { instructions: INSTRUCTIONS },
    );
    for (const tool of TOOLS) {
      const { name, description } = tool;
      const annotations = { readOnlyHint: true, openWorldHint: false };
      const inputSchema = toStandardJsonSchema(tool.input);
      server.registerTool(name, { description, annotations, inputSchema }, (input: unknown) =>
        callTool(exchange, tool, input),
      );
    }
    return server;
  };
  // A subscription would hold a connection for as long as its client likes.
  const handler = createMcpHandler(serverOf, { maxSubscriptions: 0 });
  const faults: Fault[] = [];
  const input = bodyInput(exchange.request.body, Object.keys(MESSAGE_FIELDS), faults);
  const parsedBody = readInput(exchange, MESSAGE_FIELDS, { place: 'body', input, faults });
  const headers = headersLike(exchange, (name) => PROTOCOL_HEADERS.test(name));
  const asked = new Request('http://localhost/mcp', { method: 'POST', headers });
  const answer = await handler.fetch(asked, { parsedBody });
  const { reply } = exchange;
  const type = answer.headers.get('content-type');
  if (type !== null) reply.type(type);
  return reply.code(answer.status).send(await answer.text());
}

export const MCP_ENDPOINT = keyedEndpoint({
  endpoint: 'POST /mcp',
  operationId: 'callTools',
  summary: 'Tools for language models, in the Model Context Protocol',
  answer: TOOL_ANSWER,
  body: MESSAGE_FIELDS,
  furtherStatuses: { 202: 'The notification has arrived' },
  handle: serveTools,
});
