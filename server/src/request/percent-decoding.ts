/** Strict decoding of percent-encoded text: all or nothing, never a replacement character. */

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
