/** An endpoint: one row of the table that routing and the OpenAPI document both read. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { MailRate } from '../access/mail-rate.ts';
import type { Passwords } from '../access/passwords.ts';
import type { changeRate, linkRate, toolRate } from '../access/rate.ts';
import type { SignInAttempts } from '../access/sign-in-attempts.ts';
import type { Fields } from '../admin/field.ts';
import type { RepeatedWork } from '../base/repeated-work.ts';
import type { Spool } from '../base/spool.ts';
import type { UnsentBytes } from '../base/unsent-bytes.ts';
import type { CurrentCatalog } from '../catalog/load-catalog.ts';
import type { DeliveredFiles } from '../delivery/delivered-files.ts';
import type { ProxyFiles } from '../delivery/proxy-files.ts';
import type { Uploads } from '../ingest/uploads/uploads.ts';
import type { Mailer } from '../mail/mailer.ts';
import type { OpenConnections } from '../operation/open-connections.ts';
import type { PageRates } from '../operation/page-rates.ts';
import type { RequestBoard } from '../operation/request-board.ts';
import type { CommonServices, DataServices, Reader } from '../query/reader.ts';
import type { UsageMeter } from '../quota/usage-meter.ts';
import type { ReceiptKeys } from '../receipts/receipt-keys.ts';
import type { PageCache } from '../response/page.ts';
import type { Answer } from '../schema/answer.ts';
import type { Schema } from '../schema/schema.ts';
import type { KeptSamples } from '../site/public-samples.ts';
import type { Site } from '../site/site-file.ts';
import type { Role } from '../store/people.ts';
import type { StoreUpkeep } from '../store/store-upkeep.ts';
import type { RequestTally, RunningRequest } from './count-request.ts';
import type { StaticAnswer } from './http-headers.ts';

/** Services that render, cache and send answers with rows. */
export interface PageServices extends DataServices {
  readonly pages: PageCache;
  readonly spool: Spool;
  readonly receiptKeys: ReceiptKeys;
  readonly unsent: UnsentBytes;
  readonly usage: UsageMeter;
  readonly pageRates: PageRates;
}

/** Services that make and send files of whole results. */
export interface FileServices extends PageServices {
  readonly files: DeliveredFiles;
  /** Spool for files too large for memory. */
  readonly bulkSpool: Spool;
  /** Null where this server sends files itself. */
  readonly proxyFiles: ProxyFiles | null;
  /** Seals and opens tickets. */
  readonly linkSecret: Buffer;
}

/** Services that admit or refuse callers. */
export interface AdmissionServices extends CommonServices {
  readonly usage: UsageMeter;
  readonly linkSecret: Buffer;
  readonly connections: OpenConnections;
  readonly changes: ReturnType<typeof changeRate>;
}

/** Services for signing in. */
export interface SignInServices extends CommonServices {
  readonly passwords: Passwords;
  readonly attempts: SignInAttempts;
  readonly linkRate: ReturnType<typeof linkRate>;
  readonly mailRate: MailRate;
  /** Null where no mail server is set. */
  readonly mailer: Mailer | null;
  readonly changes: ReturnType<typeof changeRate>;
}

/** Services for public pages, besides the catalogue. */
export interface SiteServices extends DataServices {
  readonly spool: Spool;
  readonly samples: KeptSamples<StaticAnswer>;
  readonly site: Site;
}

/** Services for monitoring and administering the server itself. */
export interface ServerServices extends DataServices, AdmissionServices {
  readonly catalogs: CurrentCatalog;
  readonly unsent: UnsentBytes;
  readonly upkeep: StoreUpkeep;
  /** Tidies up the lake. */
  readonly lakeUpkeep: RepeatedWork;
  readonly board: RequestBoard<RunningRequest>;
}

/** Services for uploading and loading files. */
export interface IngestServices extends DataServices {
  readonly uploads: Uploads;
}

/** All of these together, from which each handler takes those that it names. */
export interface Services
  extends FileServices,
    SignInServices,
    SiteServices,
    ServerServices,
    IngestServices {
  readonly toolRate: ReturnType<typeof toolRate>;
}

export interface Exchange<S = CommonServices> {
  readonly services: S;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Path of the request without its version prefix, still percent-encoded. */
  readonly path: string;
  /** Raw query string, without the question mark. */
  readonly queryString: string;
}

export interface KeyedExchange<S = CommonServices>
  extends Exchange<S>,
    Pick<Reader, 'caller' | 'claim' | 'client' | 'log'> {
  readonly endpoint: KeyedEndpoint;
  readonly tally: RequestTally;
}

export type DataExchange = KeyedExchange<DataServices>;
export type PageExchange = KeyedExchange<PageServices>;
export type FileExchange = KeyedExchange<FileServices>;

interface EndpointRoute {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'HEAD';
  /** Below the prefix, with `:name` for path parameters. */
  readonly path: string;
  /** Answers carry an ETag, so that clients can revalidate a copy. */
  readonly isTagged?: boolean;
  /** The answer is the same for everybody and is sent from one buffer. */
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
  /** The ticket in the path identifies the caller: no key or session is needed. */
  readonly takesTicket?: boolean;
  /**
   * Speaks Delta Sharing: accepts the key as a bearer token, and errors have that protocol's form.
   */
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
  handle(exchange: KeyedExchange<Services>): unknown;
}

interface RecordEndpoint<S extends Schema = Schema> extends KeyedRoute, EndpointDescription<S> {
  readonly servesRows?: false;
  readonly isSharing?: false;
  /** Fields of the query string of a GET. */
  readonly query?: Fields;
  handle(exchange: KeyedExchange<Services>): Answer<S> | Promise<Answer<S>>;
}

export interface PublicEndpoint<S extends Schema = Schema>
  extends EndpointRoute,
    EndpointDescription<S> {
  readonly isPublic: true;
  handle(exchange: Exchange<Services>): Answer<S> | Promise<Answer<S>>;
}

/** Answers as Delta Sharing has it; the OpenAPI document describes it by the protocol. */
export interface SharingEndpoint extends KeyedRoute {
  readonly servesRows?: false;
  readonly isSharing: true;
  readonly operationId: string;
  readonly summary: string;
  /** A page of items, the version in a header, or lines of actions. */
  readonly answers: 'items' | 'version' | 'lines';
  readonly query?: Fields;
  /** Fields of the body of a POST. */
  readonly body?: Fields;
  handle(exchange: KeyedExchange<Services>): unknown;
}

export type KeyedEndpoint = DataEndpoint | RecordEndpoint | SharingEndpoint;
export type Endpoint = PublicEndpoint | KeyedEndpoint;
/** One that the OpenAPI document describes as it is. */
export type DescribedEndpoint = PublicEndpoint | RecordEndpoint;

type Usual = 'method' | 'path' | 'errorStatuses' | 'isPublic';

/** A row of the table of endpoints, with errors of its own beyond what the path says. */
type Given<E extends PublicEndpoint | RecordEndpoint> = Omit<E, Usual> & {
  readonly endpoint: `${E['method']} /${string}`;
  readonly errorStatuses?: readonly number[];
};

/** Whatever a path names may be missing. */
function routeOf({
  endpoint,
  errorStatuses = [],
}: Pick<Given<RecordEndpoint>, 'endpoint' | 'errorStatuses'>) {
  const [method, path] = endpoint.split(' ') as [Endpoint['method'], string];
  return {
    method,
    path,
    errorStatuses: path.includes('/:') ? [404, ...errorStatuses] : errorStatuses,
  };
}

/** For anybody. Holds what it answers to its schema. */
export function publicEndpoint<S extends Schema>(given: Given<PublicEndpoint<S>>): PublicEndpoint {
  const { endpoint: _, ...described } = given;
  return { ...described, ...routeOf(given), isPublic: true };
}

/** For callers who are known. Holds what it answers to its schema. */
export function keyedEndpoint<S extends Schema>(given: Given<RecordEndpoint<S>>): RecordEndpoint {
  const { endpoint: _, ...described } = given;
  const takesQuery = given.query !== undefined;
  return { takesQuery, ...described, ...routeOf(given), isPublic: false };
}

export function isDescribed(endpoint: Endpoint): endpoint is DescribedEndpoint {
  return endpoint.isPublic || !(endpoint.servesRows || endpoint.isSharing);
}

export function isSharing(endpoint: Endpoint): endpoint is SharingEndpoint {
  return !endpoint.isPublic && endpoint.isSharing === true;
}

export function servesRows(endpoint: Endpoint): endpoint is DataEndpoint {
  return !endpoint.isPublic && endpoint.servesRows === true;
}

/** True if the body is arbitrary bytes rather than JSON. */
export function takesBytes(endpoint: Endpoint): boolean {
  return isDescribed(endpoint) && endpoint.takesBytes === true;
}
