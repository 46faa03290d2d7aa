/** Chooses the format of an answer by the header `Accept`, RFC 9110. */
import type { Format } from '../formats/format.ts';
import { FORMATS } from '../formats/formats.ts';

const CONTENT_TYPES = FORMATS.map(({ contentType }) => contentType);

/** Message for a client whose `Accept` allows no format. */
export const NOT_ACCEPTABLE =
  `The header Accept should allow one of ${CONTENT_TYPES.join(', ')}; ` +
  'or choose with the parameter response_format';

/** A member of the header: a type, a range of them such as `text/*`, or any. */
interface MediaRange {
  readonly pattern: string;
  /** From 0, never, to 1. */
  readonly quality: number;
}

const MEMBER = /^\s*([^\s;]+)\s*(?:;(.*))?$/s;
const QUALITY = /(?:^|;)\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*(?:;|$)/i;

function mediaRange(member: string): MediaRange[] {
  const [, pattern, parameters = ''] = MEMBER.exec(member) ?? [];
  if (pattern === undefined) return [];
  const quality = Math.min(1, Number(QUALITY.exec(parameters)?.[1] ?? 1));
  return [{ pattern: pattern.toLowerCase(), quality }];
}

/** The patterns that a type fits, the most exact first. */
function patternsOf(contentType: string): string[] {
  return [contentType, `${contentType.split('/')[0]}/*`, '*/*'];
}

interface Offer {
  readonly format: Format;
  readonly quality: number;
  /** Place of its pattern among `patternsOf` it; 0 is the most exact. */
  readonly vagueness: number;
}

/** The most exact member that a format fits says how much it is wanted. */
function offerOf(format: Format, ranges: readonly MediaRange[]): Offer[] {
  for (const [vagueness, pattern] of patternsOf(format.contentType).entries()) {
    const range = ranges.find((each) => each.pattern === pattern);
    if (range) return range.quality > 0 ? [{ format, quality: range.quality, vagueness }] : [];
  }
  return [];
}

/**
 * The format that is wanted most. Of those that are wanted alike, one that is named goes before one
 * that falls under a range, and then the first one of the table. Null where none is accepted.
 */
export function acceptedFormat(accept: string): Format | null {
  const ranges = accept.split(',').flatMap(mediaRange);
  // An empty header says as much as none.
  if (ranges.length === 0) return FORMATS[0];
  const offers = FORMATS.flatMap((format) => offerOf(format, ranges));
  const [best] = offers.toSorted((a, b) => b.quality - a.quality || a.vagueness - b.vagueness);
  return best?.format ?? null;
}
