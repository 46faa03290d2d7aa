/** Runs work as soon as fewer than `max` others run, in the order of their arrival. */
export function atMost(max: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let runningCount = 0;
  return async (work) => {
    if (runningCount < max) runningCount++;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      // The turn passes straight on.
      const next = waiting.shift();
      if (next) next();
      else runningCount--;
    }
  };
}
