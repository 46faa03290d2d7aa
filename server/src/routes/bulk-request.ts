/** Requests for all of their rows, as files: the grammar of data requests, and the format of the files. */
import { ApiError } from '../base/errors.ts';
import { FILE_FORMATS, type FileFormat, LINKED_FORMATS } from '../delivery/file-formats.ts';
import type { Ticket } from '../delivery/ticket.ts';
import { type DataRequest, parseDataRequest } from '../request/data-request.ts';
import { alternatives, problemAt } from '../request/request-problem.ts';
import type { Config } from '../settings/config.ts';

export interface BulkRequest extends DataRequest {
  readonly fileFormat: FileFormat;
}

export interface BulkRequestInput {
  readonly group: string;
  readonly segment: string;
  /** Raw, without its `?`. */
  readonly queryString: string;
}

function requireFileFormat({ parameterTexts }: DataRequest): FileFormat {
  const [fallback] = FILE_FORMATS;
  const text = parameterTexts.get('response_format');
  if (text === undefined) return fallback;
  const format = FILE_FORMATS.find(({ name }) => name === text);
  if (format) return format;
  const expected = alternatives(FILE_FORMATS.map(({ name }) => name));
  const msg = `Input should be ${expected} for bulk requests`;
  const place = ['query', 'response_format'] as const;
  throw new ApiError('invalid', [problemAt(place, 'enum', msg, text, { expected })]);
}

/** Throws an ApiError 'invalid' with all problems of the request's grammar. */
export function parseBulkRequest(input: BulkRequestInput, config: Config): BulkRequest {
  const request = parseDataRequest({ ...input, pathParameters: [] }, config);
  return { ...request, fileFormat: requireFileFormat(request) };
}

/** The request of a ticket, whose files have the format that the ticket says. Throws as the above. */
export function parseLinkedRequest(ticket: Ticket, config: Config): BulkRequest {
  const request = parseDataRequest({ ...ticket, pathParameters: [] }, config);
  const fileFormat = LINKED_FORMATS.find(({ name }) => name === ticket.fileFormat);
  if (!fileFormat) throw new Error(`a ticket has the format ${ticket.fileFormat}`);
  return { ...request, fileFormat };
}
