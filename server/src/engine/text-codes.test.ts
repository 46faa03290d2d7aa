import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SHORT_TEXT_BYTES_MAX, TextCodes } from './text-codes.ts';

/** As an engine has a short text in memory. */
function wordsOf(text: string): [number, number, number, number] {
  const words = new Int32Array(4);
  const bytes = Buffer.from(text);
  words[0] = bytes.length;
  new Uint8Array(words.buffer).set(bytes, 4);
  return [...words] as [number, number, number, number];
}

const isShort = (text: string) => Buffer.byteLength(text) <= SHORT_TEXT_BYTES_MAX;
const textOf = (codes: TextCodes, code: number) => Buffer.from(codes.texts[code]!).toString();

describe('codes of texts', () => {
  it('count up from 0, and stay', () => {
    const codes = new TextCodes();
    const texts = ['b', 'a', '', 'b', 'a text of more than twelve bytes', 'a', ''];
    expect(texts.map((text) => codes.codeOf(text))).toEqual([0, 1, 2, 0, 3, 1, 2]);
    expect(codes.count).toBe(4);
  });

  it('are the same for words and for strings, in any order and number', () => {
    const anyText = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 16 }),
      fc.constantFrom('A', 'B'),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(anyText, fc.boolean()), { maxLength: 2000 }), (given) => {
        const codes = new TextCodes();
        const found = given.map(([text, isWords]) =>
          isWords && isShort(text) ? codes.codeOfWords(...wordsOf(text)) : codes.codeOf(text),
        );
        const distinct = [...new Set(given.map(([text]) => Buffer.from(text).toString()))];
        expect(found.map((code) => textOf(codes, code))).toEqual(
          given.map(([text]) => Buffer.from(text).toString()),
        );
        expect(codes.count).toBe(distinct.length);
        const byteCount = distinct.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
        expect(codes.byteCount).toBe(byteCount);
      }),
    );
  });

  it('tell many texts apart', () => {
    const codes = new TextCodes();
    const texts = Array.from({ length: 50_000 }, (_, i) => `T${i * 7919}`);
    const expected = [...texts.keys()];
    expect(texts.map((text) => codes.codeOfWords(...wordsOf(text)))).toEqual(expected);
    expect(texts.map((text) => codes.codeOf(text))).toEqual(expected);
  });
});
