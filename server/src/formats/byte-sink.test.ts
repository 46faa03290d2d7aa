import fc from 'fast-check';
import { expect, it } from 'vitest';
import { anyCharacter } from '../../test/any-character.ts';
import { BUFFER_LIMITS } from '../base/budgets.ts';
import {
  BLOCK_BYTES,
  ByteSink,
  joinedText,
  NO_TEXT,
  releaseBlock,
  type Text,
  textOf,
} from './byte-sink.ts';

function written(texts: readonly Text[]): string {
  const blocks: Buffer[] = [];
  const sink = new ByteSink((block) => blocks.push(block));
  for (const text of texts) {
    sink.makeRoom(text.length + 7);
    sink.copy(text);
  }
  sink.flush();
  return Buffer.concat(blocks).toString();
}

it('keeps every byte of a text, wherever in a word it stands', () => {
  const greatest = '\u{10ffff}';
  for (let shift = 0; shift < 8; shift++) {
    for (const end of ['\x7f', greatest, `\x7f${greatest}`, `${greatest}\x7f`, '\x7f'.repeat(9)]) {
      const text = 'x'.repeat(shift) + end;
      expect(written([textOf(text), textOf('.')])).toBe(`${text}.`);
    }
  }
  fc.assert(
    fc.property(fc.array(fc.string({ unit: anyCharacter })), (texts) => {
      expect(written(texts.map((text) => textOf(text)))).toBe(texts.join(''));
      expect(written([texts.map((text) => textOf(text)).reduce(joinedText, NO_TEXT)])).toBe(
        texts.join(''),
      );
    }),
  );
});

it('writes strings in UTF-8 after the text before them, whatever room there was', () => {
  const lone = fc.constant('\ud800');
  const maxLength = 200;
  const text = fc.oneof(
    fc.string({ maxLength }),
    fc.string({ unit: anyCharacter, maxLength }),
    lone,
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text)), (pairs) => {
      const blocks: Buffer[] = [];
      const sink = new ByteSink((block) => blocks.push(block));
      sink.expectRows(pairs.length, 0);
      for (const [before, value] of pairs) sink.copyString(textOf(before), value);
      sink.flush();
      const expected = pairs.flat().map((part) => Buffer.from(part));
      expect(Buffer.concat(blocks)).toEqual(Buffer.concat(expected));
    }),
  );
});

/** The first block of rows of which many are expected. */
function largeBlock(): Buffer {
  const blocks: Buffer[] = [];
  const sink = new ByteSink((block) => blocks.push(block));
  sink.expectRows(10_000, 100);
  sink.makeRoom(0);
  sink.copyAscii('row');
  sink.flush();
  return blocks[0] as Buffer;
}

it('leaves a block alone that it has handed on, though it was not full', () => {
  const blocks: Buffer[] = [];
  const sink = new ByteSink((block) => blocks.push(block));
  for (const text of ['first', 'other']) {
    sink.expectRows(10_000, 100);
    sink.makeRoom(0);
    sink.copyAscii(text);
    sink.flush();
  }
  sink.flush();
  expect(blocks.map(String)).toEqual(['first', 'other']);
});

it('writes into a block again once it has been given back, and only then', () => {
  const first = largeBlock();
  expect(largeBlock().buffer).not.toBe(first.buffer);
  releaseBlock(first.subarray(1));
  releaseBlock(first);
  const second = largeBlock();
  expect(second.buffer).toBe(first.buffer);
  expect(largeBlock().buffer).not.toBe(first.buffer);
});

it('gives back a block into which nothing was written', () => {
  const sink = new ByteSink(() => undefined);
  sink.expectRows(10_000, 100);
  sink.makeRoom(0);
  const { buffer } = sink.bytes;
  sink.flush();
  expect(largeBlock().buffer).toBe(buffer);
});

it('keeps blocks that were given back up to their limit', () => {
  const keptMax = BUFFER_LIMITS.textBlocks / BLOCK_BYTES;
  const taken = Array.from({ length: keptMax + 8 }, largeBlock);
  const buffers = new Set(taken.map(({ buffer }) => buffer));
  taken.forEach(releaseBlock);
  const again = Array.from({ length: keptMax + 8 }, largeBlock);
  expect(again.filter(({ buffer }) => buffers.has(buffer))).toHaveLength(keptMax);
  again.forEach(releaseBlock);
});

it('never writes into a buffer that was not its own', () => {
  const foreign = Buffer.alloc(largeBlock().buffer.byteLength);
  releaseBlock(foreign);
  largeBlock();
  expect(foreign.every((byte) => byte === 0)).toBe(true);
});
