/** Requests for all of their rows, as files: the grammar of data requests, and the format of the files. */
import { FILE_FORMATS, type FileFormat, LINKED_FORMATS } from '../delivery/file-formats.ts';
import type { Ticket } from '../delivery/ticket.ts';
import { type DataRequest, parseDataRequest } from '../request/data-request.ts';
import { formatWords } from '../request/standard-parameters.ts';
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

/** Files have formats of pages, but not each of those. */
const FORMAT_WORDS = formatWords(FILE_FORMATS.map(({ name }) => name));

function fileFormatOf({ parameterTexts }: DataRequest): FileFormat {
  const [fallback] = FILE_FORMATS;
  const text = parameterTexts.get('response_format');
  return FILE_FORMATS.find(({ name }) => name === text) ?? fallback;
}

/** Throws an ApiError 'invalid' with all problems of the request's grammar. */
export function parseBulkRequest(input: BulkRequestInput, config: Config): BulkRequest {
  const asked = { ...input, pathParameters: [], formats: FORMAT_WORDS };
  const request = parseDataRequest(asked, config);
  return { ...request, fileFormat: fileFormatOf(request) };
}

/** The request of a ticket, whose files have the format that the ticket says. Throws as the above. */
export function parseLinkedRequest(ticket: Ticket, config: Config): BulkRequest {
  const request = parseDataRequest({ ...ticket, pathParameters: [] }, config);
  const fileFormat = LINKED_FORMATS.find(({ name }) => name === ticket.fileFormat);
  if (!fileFormat) throw new Error(`a ticket has the format ${ticket.fileFormat}`);
  return { ...request, fileFormat };
}
