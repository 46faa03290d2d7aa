import fc from 'fast-check';

/**
 * Any character of Unicode. Before its first text, fast-check's own unit `binary` takes more than a
 * second in each process.
 */
export const anyCharacter = fc
  .oneof(
    fc.integer({ min: 0, max: 0x7f }),
    fc.integer({ min: 0x80, max: 0xd7ff }),
    fc.integer({ min: 0xe000, max: 0x10ffff }),
  )
  .map((code) => String.fromCodePoint(code));
