/** What dies, what cannot go on meanwhile, and what may be forgotten with it. */
import type { Random } from '@ticklake/demo/random.ts';
import type { Deployment } from './deployment.ts';

export interface World {
  readonly deployment: Deployment;
  readonly random: Random;
}

export interface Victim {
  readonly name: string;
  /** The nodes whose requests may fail while it is dead. */
  readonly disturbs: readonly number[];
  /** Who forgets what was counted last and is not written: a node, or the store what it has reserved. */
  readonly forgets?: number | 'store';
  kill(world: World): Promise<void>;
  /** Absent: it comes back by itself. */
  revive?(world: World): Promise<void>;
}

/** What nodes share: its address is in the environment when it is open. */
export interface SharedPlace {
  open(): Promise<void>;
  close(): Promise<void>;
  readonly victims: readonly Victim[];
}

export const BOTH_NODES = [0, 1];

const PUBLISHER: Victim = {
  name: 'the publisher',
  disturbs: [],
  kill: ({ deployment }) => deployment.killPublisher(),
  revive: async ({ deployment }) => deployment.startPublisher(),
};

const nodeVictim = (at: number): Victim => ({
  name: `node ${at}`,
  disturbs: [at],
  forgets: at,
  kill: ({ deployment }) => deployment.killNode(at),
  revive: ({ deployment }) => deployment.startNode(at),
});

/** All that may die where nodes share a place. */
export function victimsOf(place: SharedPlace): Victim[] {
  return [PUBLISHER, nodeVictim(0), ...place.victims, nodeVictim(1)];
}
