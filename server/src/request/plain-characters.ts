/** Percent-encoded letters, digits, `-`, `.`, `_` and `~`: the same as the plain characters. */
const NEEDLESSLY_ENCODED = /%(?:2[DE]|3\d|4[1-9A-F]|5[\dAF]|6[1-9A-F]|7[\dAE])/gi;

/** A text without needless percent-encoding. */
export function plainCharacters(text: string): string {
  return text.replaceAll(NEEDLESSLY_ENCODED, (code) => decodeURIComponent(code));
}
