import { useSyncExternalStore } from 'react';

/** A value that changes, and those who are told of each change. */
export class Store<State> {
  #state: State;
  readonly #listeners = new Set<() => void>();

  constructor(state: State) {
    this.#state = state;
  }

  readonly state = (): State => this.#state;

  readonly subscribe = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  set(state: State): void {
    if (state === this.#state) return;
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

interface Reading {
  readonly isReading: boolean;
  /** Why reading stopped; null while it did not. */
  readonly error: unknown;
}

/** Why reading ended if the person wanted that. */
export class Halted extends Error {
  constructor() {
    super('You stopped it. What has come so far is kept.');
    this.name = 'Halted';
  }
}

/** A store of something that is read in steps, until it is stopped or a step fails. */
export abstract class ReadingStore<State extends Reading> extends Store<State> {
  #abort = new AbortController();

  protected get signal(): AbortSignal {
    return this.#abort.signal;
  }

  protected abstract readOn(): Promise<void>;

  protected change(change: Partial<State>): void {
    if (!this.signal.aborted) this.set({ ...this.state(), ...change });
  }

  retry(): void {
    this.change({ error: null } as Partial<State>);
    void this.readOn();
  }

  /** Gives up what is being read, also at the server, until `retry`. */
  halt(): void {
    const halted = this.#abort;
    this.#abort = new AbortController();
    halted.abort(new Halted());
  }

  stop(): void {
    this.#abort.abort();
  }
}

const NOTHING = new Store(null);

/** The state of a store, now and whenever it changes; null without a store. */
export function useStore<State>(store: Store<State>): State;
export function useStore<State>(store: Store<State> | null): State | null;
export function useStore<State>(store: Store<State> | null): State | null {
  const { subscribe, state } = store ?? NOTHING;
  return useSyncExternalStore<State | null>(subscribe, state);
}
