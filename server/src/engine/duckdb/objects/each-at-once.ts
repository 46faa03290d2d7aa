/** Works on items, a few of them at the same time. After a failure no other one is begun. */
export async function eachAtOnce<T>(
  items: readonly T[],
  atOnceMax: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = [...items];
  const worker = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  try {
    await Promise.all(Array.from({ length: atOnceMax }, worker));
  } finally {
    left.length = 0;
  }
}
