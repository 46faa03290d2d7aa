/** Strict decoding of percent-encoded text: all or nothing, never a replacement character. */
import { ApiError, type Problem } from '../base/errors.ts';
import { problemAt } from './request-problem.ts';

export interface QueryParameter {
  readonly name: string;
  readonly value: string;
}

/** More than the most filters that can be set; decoding and judging thousands takes long. */
const PARAMETERS_MAX = 1024;

function decodePart(raw: string): DecodedText {
  return decodePercent(raw.replaceAll('+', ' '));
}

function tooMany(count: number): Problem {
  const msg = `A request should have at most ${PARAMETERS_MAX} parameters, not ${count}`;
  const limits = { max_length: PARAMETERS_MAX, actual_length: count };
  return problemAt(['query', ''], 'too_long', msg, '', limits);
}

/**
 * The parameters that can be read, in order, and a problem for each one that cannot; of too many,
 * nothing is read.
 */
export function readQueryString(raw: string): {
  parameters: QueryParameter[];
  problems: Problem[];
} {
  const parameters: QueryParameter[] = [];
  const problems: Problem[] = [];
  const pairs = raw.split('&').filter(Boolean);
  if (pairs.length > PARAMETERS_MAX) return { parameters, problems: [tooMany(pairs.length)] };
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    const rawName = equals === -1 ? pair : pair.slice(0, equals);
    const rawValue = equals === -1 ? '' : pair.slice(equals + 1);
    const name = decodePart(rawName);
    const value = decodePart(rawValue);
    if ('fault' in name) {
      problems.push(problemAt(['query', rawName], name.fault.type, name.fault.msg, rawName));
    } else if (name.text === '') {
      const msg = 'A query parameter should have a name';
      problems.push(problemAt(['query', ''], 'missing_name', msg, pair));
    } else if ('fault' in value) {
      problems.push(problemAt(['query', name.text], value.fault.type, value.fault.msg, rawValue));
    } else parameters.push({ name: name.text, value: value.text });
  }
  return { parameters, problems };
}

/**
 * The parameters of a raw query string (without its `?`; '' if there is none), in order. `+` is a
 * space, a parameter without `=` has the empty value, empty pairs are skipped. Throws an ApiError
 * 'invalid' that lists every parameter with broken encoding or control characters.
 */
export function parseQueryString(raw: string): QueryParameter[] {
  const { parameters, problems } = readQueryString(raw);
  if (problems.length > 0) throw new ApiError('invalid', problems);
  return parameters;
}

interface EncodingFault {
  readonly type: string;
  readonly msg: string;
}

export type DecodedText = { readonly text: string } | { readonly fault: EncodingFault };

const NOT_ASCII: EncodingFault = {
  type: 'percent_encoding',
  msg: 'Characters outside ASCII should be percent-encoded as UTF-8',
};
const MALFORMED: EncodingFault = {
  type: 'percent_encoding',
  msg: 'Input should be valid percent-encoding of UTF-8 text',
};
const CONTROL: EncodingFault = {
  type: 'control_character',
  msg: 'Input should not contain control characters',
};

/** JSON Schema pattern of text that was decoded here. */
export const NO_CONTROLS_PATTERN = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$';

/** Decodes `%XX` as UTF-8; every other character stands for itself. */
export function decodePercent(raw: string): DecodedText {
  if (/[^\0-\x7f]/.test(raw)) return { fault: NOT_ASCII };
  let text: string;
  try {
    text = decodeURIComponent(raw);
  } catch {
    return { fault: MALFORMED };
  }
  return /\p{Cc}/u.test(text) ? { fault: CONTROL } : { text };
}

/** Percent-encoded letters, digits, `-`, `.`, `_` and `~`: the same as the plain characters. */
const NEEDLESSLY_ENCODED = /%(?:2[DE]|3\d|4[1-9A-F]|5[\dAF]|6[1-9A-F]|7[\dAE])/gi;

/** A text without needless percent-encoding. */
export function plainCharacters(text: string): string {
  return text.replaceAll(NEEDLESSLY_ENCODED, (code) => decodeURIComponent(code));
}

/** The list of which `splitValueList` finds the values. */
export function joinValueList(values: readonly string[]): string {
  return values
    .map((value) => (/^"|,/.test(value) ? `"${value.replaceAll('"', '""')}"` : value))
    .join(',');
}

/**
 * The values of a comma-separated list. A value in double quotes may hold commas, and a quote
 * written twice; a quote elsewhere is a character like any other. Null when a quote is not closed
 * or is followed by anything but a comma.
 */
export function splitValueList(text: string): string[] | null {
  const values: string[] = [];
  let at = 0;
  while (true) {
    if (text[at] === '"') {
      const quoted = /^"((?:[^"]|"")*)"(?=,|$)/.exec(text.slice(at));
      if (!quoted) return null;
      values.push((quoted[1] as string).replaceAll('""', '"'));
      at += quoted[0].length;
    } else {
      const comma = text.indexOf(',', at);
      const end = comma === -1 ? text.length : comma;
      values.push(text.slice(at, end));
      at = end;
    }
    if (at === text.length) return values;
    at++;
  }
}
