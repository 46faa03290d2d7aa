/** The operator's own listener, apart from the interface: health, readiness and metrics. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { prometheusContentType } from 'prom-client';
import {
  problemLines,
  type Readiness,
  type ReadinessSources,
  readinessProbe,
} from '../operation/readiness.ts';
import { type MetricSources, metricsPage } from '../operation/readings.ts';
import type { Config } from '../settings/config.ts';

interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

function jsonAnswer(status: number, value: unknown): Answer {
  return { status, contentType: 'application/json', body: `${JSON.stringify(value)}\n` };
}

type Pages = Readonly<Record<string, () => Answer | Promise<Answer>>>;

async function answer(pages: Pages, { method, url = '' }: IncomingMessage): Promise<Answer> {
  const [path = ''] = url.split('?');
  const page = Object.hasOwn(pages, path) ? pages[path] : undefined;
  if (!page) return jsonAnswer(404, { detail: 'Not Found' });
  if (method !== 'GET' && method !== 'HEAD') {
    return jsonAnswer(405, { detail: 'Method Not Allowed' });
  }
  try {
    return await page();
  } catch {
    return jsonAnswer(500, { detail: 'Internal server error' });
  }
}

async function respond(
  pages: Pages,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { status, contentType, body } = await answer(pages, request);
  response.writeHead(status, {
    'content-type': contentType,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    ...(status === 405 ? { allow: 'GET, HEAD' } : {}),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

export interface OperationListener {
  /** `http://host:port` that it listens on. */
  readonly url: string;
  close(): Promise<void>;
}

type ListenerServices = MetricSources &
  ReadinessSources & { readonly config: Pick<Config, 'operationHost' | 'operationPort'> };

/** Listens on the operation host and port of the settings; null where no port is set. */
export async function openOperationListener(
  services: ListenerServices,
  serverState: () => Readiness['server'],
): Promise<OperationListener | null> {
  const { operationHost: host, operationPort: port } = services.config;
  if (port === null) return null;
  const readiness = readinessProbe(services, serverState);
  const metrics = metricsPage(services, readiness);
  const pages: Pages = {
    '/healthz': () => jsonAnswer(200, { alive: true }),
    '/readyz': async () => {
      const { problems, warnings, notes, ...state } = await readiness();
      return jsonAnswer(state.ready ? 200 : 503, {
        ...{ ...state, problems: problemLines(problems) },
        ...{ warnings: problemLines(warnings), notes: problemLines(notes) },
      });
    },
    '/metrics': async () => ({
      status: 200,
      contentType: prometheusContentType,
      body: await metrics(),
    }),
  };
  const server = createServer((request, response) => void respond(pages, request, response));
  server.listen({ host, port });
  await once(server, 'listening');
  const { address, family, port: boundPort } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${boundPort}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
