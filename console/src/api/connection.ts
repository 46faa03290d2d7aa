/** Whether the server answers: told by every call, shown by the banner, asked again by itself. */

type Listener = () => void;

class Connection {
  #isReachable = true;
  readonly #listeners = new Set<Listener>();

  readonly isReachable = () => this.#isReachable;

  setReachable(isReachable: boolean): void {
    if (isReachable === this.#isReachable) return;
    this.#isReachable = isReachable;
    for (const listener of this.#listeners) listener();
  }

  readonly subscribe = (listener: Listener) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
}

export const connection = new Connection();
