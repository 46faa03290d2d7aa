/** What an endpoint is: one row of the table that routing and the OpenAPI document both read. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../access/authenticate.ts';
import type { Catalog } from '../catalog/dataset.ts';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { QueryEngine } from '../engine/engine.ts';
import type { QueryGate } from '../engine/query-gate.ts';
import type { Lake } from '../lake/lake.ts';
import type { ControlStore } from '../store/control-store.ts';

/** Everything that requests are answered from. */
export interface Services {
  readonly config: Config;
  readonly clock: Clock;
  readonly catalog: Catalog;
  readonly lake: Lake;
  readonly engine: QueryEngine;
  readonly gate: QueryGate;
  readonly store: ControlStore;
}

export interface Exchange {
  readonly services: Services;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Path of the request without its version prefix, still percent-encoded. */
  readonly path: string;
  /** Raw query string, without the question mark. */
  readonly queryString: string;
}

export interface KeyedExchange extends Exchange {
  readonly caller: Caller;
}

interface EndpointDescription {
  readonly method: 'GET' | 'POST';
  /** Below the prefix, with `:name` for path parameters. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  /** Name of the 200 body's schema in the OpenAPI document. */
  readonly responseSchema: string;
  /** Statuses other than 200 that it answers with, beyond those of every endpoint. */
  readonly errorStatuses: readonly number[];
}

export interface PublicEndpoint extends EndpointDescription {
  readonly isPublic: true;
  handle(exchange: Exchange): unknown;
}

export interface KeyedEndpoint extends EndpointDescription {
  readonly isPublic: false;
  /** Names any query parameter; false: each one is refused. */
  readonly takesQuery?: boolean;
  handle(exchange: KeyedExchange): unknown;
}

export type Endpoint = PublicEndpoint | KeyedEndpoint;
