/** From the start of the process until it listens, with a large index. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { startHome } from '../data/many-partitions.ts';
import type { Benchmark } from '../finding.ts';
import { median, timed } from '../measure.ts';
import { type Service, startService } from '../service.ts';

const WARM_UPS = 2;

export const START: Benchmark = {
  name: 'start',
  run: async ({ data, turns }) => {
    const home = await startHome(data);
    if (!existsSync(join(home, 'lake.db'))) throw new Error('no index');
    const times: number[] = [];
    for (let turn = 0; turn < WARM_UPS + turns.runs; turn++) {
      let service: Service | undefined;
      const startMs = await timed(async () => {
        service = await startService(home, 'default');
      });
      await service?.stop();
      if (turn >= WARM_UPS) times.push(startMs);
    }
    const seconds = median(times) / 1000;
    return [
      {
        work: `start with 42 datasets, ${data.sizes.startPartitions} partitions`,
        measured: `listening after ${seconds.toFixed(2)} s`,
        compared: `slowest ${(Math.max(...times) / 1000).toFixed(2)} s`,
        figure: seconds,
        unit: ' s',
        target: { is: 'under', value: 1 },
        details: { startSeconds: seconds },
      },
    ];
  },
};
