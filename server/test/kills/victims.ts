/** Victims: what dies, what is blocked meanwhile, and what may be forgotten. */
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
  /** Who forgets: a node its unwritten counts, or the store its reservations. */
  readonly forgets?: number | 'store';
  kill(world: World): Promise<void>;
  /** Absent: it comes back by itself. */
  revive?(world: World): Promise<void>;
}

/** A place that nodes share. Opening it puts its address into the environment. */
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
