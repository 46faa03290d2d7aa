/** `Range` of a request for a file, see RFC 9110: one range of bytes. */

/** Bytes from `start` up to, not with, `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

const RANGE = /^bytes=(\d*)-(\d*)$/i;

/**
 * The range that a header asks for; 'whole' where there is none, or one that is answered with all
 * bytes: another unit, several ranges, or no range at all; 'unsatisfiable' where none of its bytes
 * are there.
 */
export function readRange(
  header: string | undefined,
  byteCount: number,
): ByteRange | 'whole' | 'unsatisfiable' {
  const match = RANGE.exec(header?.trim() ?? '');
  const [, first = '', last = ''] = match ?? [];
  if (first === '' && last === '') return 'whole';
  if (first === '') {
    const length = Math.min(Number(last), byteCount);
    return length === 0 ? 'unsatisfiable' : { start: byteCount - length, end: byteCount };
  }
  const start = Number(first);
  const end = last === '' ? byteCount : Math.min(Number(last) + 1, byteCount);
  if (last !== '' && Number(last) < start) return 'whole';
  return start < byteCount ? { start, end } : 'unsatisfiable';
}
