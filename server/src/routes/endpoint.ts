/** An endpoint: one row of the table that routing and the OpenAPI document both read. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../access/authenticate.ts';
import type { ChangeRate } from '../access/change-rate.ts';
import type { LinkRate } from '../access/link-rate.ts';
import type { MailRate } from '../access/mail-rate.ts';
import type { Passwords } from '../access/passwords.ts';
import type { SignInAttempts } from '../access/sign-in-attempts.ts';
import type { FactorTables } from '../adjustments/factor-tables.ts';
import type { Fields } from '../admin/field.ts';
import type { Clock } from '../base/clock.ts';
import type { Spool } from '../base/spool.ts';
import type { Catalog } from '../catalog/dataset.ts';
import type { CurrentCatalog } from '../catalog/load-catalog.ts';
import type { DeliveredFiles } from '../delivery/delivered-files.ts';
import type { ProxyFiles } from '../delivery/proxy-files.ts';
import type { EngineReader } from '../engine/engine.ts';
import type { MadeWalks } from '../engine/made-walks.ts';
import type { QueryGate } from '../engine/query-gate.ts';
import type { Uploads } from '../ingest/uploads/uploads.ts';
import type { Lake } from '../lake/lake.ts';
import type { LakeUpkeep } from '../lake/publisher.ts';
import type { Mailer } from '../mail/mailer.ts';
import type { OpenConnections } from '../operation/open-connections.ts';
import type { RequestBoard } from '../operation/request-board.ts';
import type { RequestMetrics } from '../operation/request-metrics.ts';
import type { UsageMeter } from '../quota/usage-meter.ts';
import type { ReceiptKeys } from '../receipts/receipt-keys.ts';
import type { DayCountCache } from '../response/day-count-cache.ts';
import type { PageCache } from '../response/page-cache.ts';
import type { Answer } from '../schema/answer.ts';
import type { Schema } from '../schema/schema.ts';
import type { Config } from '../settings/config.ts';
import type { KeptSamples } from '../site/public-samples.ts';
import type { Site } from '../site/site-file.ts';
import type { ControlStore } from '../store/control-store.ts';
import type { Role } from '../store/people.ts';
import type { StoreUpkeep } from '../store/store-upkeep.ts';
import type { RollSchedules } from '../symbology/roll-schedules.ts';
import type { SymbolTables } from '../symbology/symbol-tables.ts';
import type { RunningRequest } from './observe-request.ts';
import type { RequestTally } from './request-tally.ts';
import type { StaticAnswer } from './static-answer.ts';
import type { UnsentBytes } from './unsent-bytes.ts';

/** Everything that requests are answered from. */
export interface Services {
  readonly config: Config;
  readonly clock: Clock;
  /** Of a request: the one with which it began. */
  readonly catalog: Catalog;
  readonly catalogs: CurrentCatalog;
  readonly lake: Lake;
  readonly uploads: Uploads;
  readonly engine: EngineReader;
  readonly gate: QueryGate;
  readonly pages: PageCache;
  readonly spool: Spool;
  readonly receiptKeys: ReceiptKeys;
  readonly files: DeliveredFiles;
  /** Where files are made that are too large for memory. */
  readonly bulkSpool: Spool;
  /** Null where this server sends files itself. */
  readonly proxyFiles: ProxyFiles | null;
  /** What tickets are sealed with. */
  readonly linkSecret: Buffer;
  readonly samples: KeptSamples<StaticAnswer>;
  /** Null: the product's own. */
  readonly site: Site;
  readonly dayCounts: DayCountCache;
  readonly symbolTables: SymbolTables;
  readonly rollSchedules: RollSchedules;
  readonly factorTables: FactorTables;
  readonly madeWalks: MadeWalks;
  readonly connections: OpenConnections;
  readonly unsent: UnsentBytes;
  readonly store: ControlStore;
  readonly upkeep: StoreUpkeep;
  readonly lakeUpkeep: LakeUpkeep;
  readonly usage: UsageMeter;
  readonly passwords: Passwords;
  readonly attempts: SignInAttempts;
  readonly linkRate: LinkRate;
  readonly mailRate: MailRate;
  /** Null where no mail server is set. */
  readonly mailer: Mailer | null;
  readonly changes: ChangeRate;
  readonly metrics: RequestMetrics;
  readonly board: RequestBoard<RunningRequest>;
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
  readonly endpoint: KeyedEndpoint;
  readonly caller: Caller;
  readonly tally: RequestTally;
}

interface EndpointRoute {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'HEAD';
  /** Below the prefix, with `:name` for path parameters. */
  readonly path: string;
  /** Its answers have a tag, by which a client that holds one learns that it is still right. */
  readonly isTagged?: boolean;
  /** It is the same for everybody, and sent from one buffer. */
  readonly isStatic?: boolean;
  /** Statuses of errors that it answers with, beyond those of every endpoint. */
  readonly errorStatuses: readonly number[];
}

interface EndpointDescription<S extends Schema> {
  readonly operationId: string;
  readonly summary: string;
  /** Schema of a 200's body, which has a name in the OpenAPI document. */
  readonly answer: S;
  /** The body is any bytes, which the handler reads as a stream, however many there are. */
  readonly takesBytes?: boolean;
  /** Statuses below 300 that it answers with besides 200, by what they mean. */
  readonly furtherStatuses?: Readonly<Record<number, string>>;
  /** Fields of the body of a POST. */
  readonly body?: Fields;
  /** Optional fields of the body of which at least one has to be given. */
  readonly needsOneOf?: readonly string[] | undefined;
}

interface KeyedRoute extends EndpointRoute {
  readonly isPublic: false;
  /** Names any query parameter; false: each one is refused. */
  readonly takesQuery?: boolean;
  /** Exempt from the per-minute limits, and not counted as a request in them. */
  readonly isMinuteExempt?: boolean;
  /** It is asked for by a ticket in its path, which says who asks: no key or session is needed. */
  readonly takesTicket?: boolean;
  /** It speaks Delta Sharing: the key may come as a bearer token, and errors have that protocol's form. */
  readonly isSharing?: boolean;
  /** For administrators only: everyone else is refused before anything else is looked at. */
  readonly isAdminOnly?: boolean;
  /** For people who are signed in and no key, and the least that they have to be. */
  readonly role?: Role;
}

/** Answers with rows; the OpenAPI document describes it by the datasets that it serves. */
export interface DataEndpoint extends KeyedRoute {
  readonly servesRows: true;
  readonly isSharing?: false;
  handle(exchange: KeyedExchange): unknown;
}

interface RecordEndpoint<S extends Schema = Schema> extends KeyedRoute, EndpointDescription<S> {
  readonly servesRows?: false;
  readonly isSharing?: false;
  /** Fields of the query string of a GET. */
  readonly query?: Fields;
  handle(exchange: KeyedExchange): Answer<S> | Promise<Answer<S>>;
}

export interface PublicEndpoint<S extends Schema = Schema>
  extends EndpointRoute,
    EndpointDescription<S> {
  readonly isPublic: true;
  handle(exchange: Exchange): Answer<S> | Promise<Answer<S>>;
}

/** Answers as Delta Sharing has it; the OpenAPI document describes it by the protocol. */
export interface SharingEndpoint extends KeyedRoute {
  readonly servesRows?: false;
  readonly isSharing: true;
  readonly operationId: string;
  readonly summary: string;
  handle(exchange: KeyedExchange): unknown;
}

export type KeyedEndpoint = DataEndpoint | RecordEndpoint | SharingEndpoint;
export type Endpoint = PublicEndpoint | KeyedEndpoint;
/** One that the OpenAPI document describes as it is. */
export type DescribedEndpoint = PublicEndpoint | RecordEndpoint;

/** Holds what an endpoint answers to its schema. */
export function publicEndpoint<S extends Schema>(endpoint: PublicEndpoint<S>): PublicEndpoint {
  return endpoint;
}

/** Holds what an endpoint answers to its schema. */
export function keyedEndpoint<S extends Schema>(endpoint: RecordEndpoint<S>): RecordEndpoint {
  return endpoint;
}

export function isDescribed(endpoint: Endpoint): endpoint is DescribedEndpoint {
  return endpoint.isPublic || !(endpoint.servesRows || endpoint.isSharing);
}

export function servesRows(endpoint: Endpoint): endpoint is DataEndpoint {
  return !endpoint.isPublic && endpoint.servesRows === true;
}

/** Its body is no JSON, but any bytes. */
export function takesBytes(endpoint: Endpoint): boolean {
  return isDescribed(endpoint) && endpoint.takesBytes === true;
}
