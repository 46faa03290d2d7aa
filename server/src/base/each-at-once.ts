/**
 * Works on items, a few of them at the same time. After a failure no other one is begun, and it
 * rejects with that failure once all that were begun have ended.
 */
export async function eachAtOnce<T>(
  items: readonly T[],
  atOnceMax: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = [...items];
  const failures: unknown[] = [];
  const worker = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) {
      try {
        await work(item);
      } catch (error) {
        failures.push(error);
        left.length = 0;
      }
    }
  };
  await Promise.all(Array.from({ length: atOnceMax }, worker));
  if (failures.length > 0) throw failures[0];
}
