/**
 * Runs `end` as the block is left that has it: `using _lock = atEnd(() => lock.release())`, with
 * `await using` for one that takes time. The last of several runs first.
 */
export function atEnd<T>(end: () => T): T extends Promise<unknown> ? AsyncDisposable : Disposable {
  return { [Symbol.dispose]: end, [Symbol.asyncDispose]: end } as never;
}
