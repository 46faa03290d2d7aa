/** A page of text out of two that follow each other: the bytes that it would have been made of. */
import { LentBytes } from '../base/stored-bytes.ts';
import type { TextFormat, TextPage } from '../engine/engine.ts';
import type { PageRange } from './format.ts';
import { JSON_FRAME } from './json.ts';

type RowsFrame = typeof JSON_FRAME;

/** The header line of CSV stands before the first of all rows. */
const NO_FRAME: RowsFrame = { before: '', between: '', after: () => '' };

/** Formats whose pages can be joined. */
const FRAMES: Partial<Record<TextFormat, RowsFrame>> = {
  json: JSON_FRAME,
  json_exact: JSON_FRAME,
  csv: NO_FRAME,
};

export function canJoin(format: TextFormat): boolean {
  return format in FRAMES;
}

/** The two halves of a page. */
export function halvesOf<Range extends PageRange>(whole: Range): [Range, Range] {
  const half = Math.ceil(whole.limit / 2);
  return [
    { ...whole, limit: half },
    { ...whole, offset: whole.offset + half, limit: whole.limit - half },
  ];
}

function cut({ body }: TextPage, start: number, endBytes: number): Buffer[] {
  if (Buffer.isBuffer(body)) return [body.subarray(start, body.length - endBytes)];
  const stretches = body.slice(start, body.byteCount - endBytes);
  return stretches.map((stretch) => (stretch as { bytes: Buffer }).bytes);
}

export function releasePage({ body }: TextPage): void {
  if (body instanceof LentBytes) body.release();
}

/** Takes over the bodies of both halves. */
export function joinHalves(
  format: TextFormat,
  whole: PageRange,
  [first, second]: readonly [TextPage, TextPage],
): TextPage {
  const { before, between, after } = FRAMES[format] as RowsFrame;
  const [firstRange, secondRange] = halvesOf(whole);
  const { nextOffset } = second;
  const pieces = [
    ...cut(first, 0, after(firstRange, first.nextOffset).length),
    ...(second.rowCount === 0
      ? []
      : [
          Buffer.from(between),
          ...cut(second, before.length, after(secondRange, nextOffset).length),
        ]),
    Buffer.from(after(whole, nextOffset)),
  ].filter(({ length }) => length > 0);
  const body = new LentBytes(pieces, () => [first, second].forEach(releasePage));
  return { body, rowCount: first.rowCount + second.rowCount, nextOffset };
}
