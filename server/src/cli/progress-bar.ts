/** A line on the terminal that shows how far a long step has come. */
import { printableLine } from '../base/printable.ts';

/** True if a person reads the stream, so that a secret may be shown. */
export function isTerminal(stream: NodeJS.ReadableStream | NodeJS.WritableStream): boolean {
  return 'isTTY' in stream && stream.isTTY === true;
}

const BAR_CHARACTERS = 30;
const REDRAW_MS = 100;
const CLEAR_LINE = '\r\u001b[2K';

export class ProgressBar {
  readonly #terminal: NodeJS.WritableStream | null;
  readonly #nowMs: () => number;
  #drawnAtMs = Number.NEGATIVE_INFINITY;
  #step = '';

  /** Without a terminal it draws nothing. */
  constructor(terminal: NodeJS.WritableStream | null, nowMs: () => number) {
    this.#terminal = terminal;
    this.#nowMs = nowMs;
  }

  /** `share`: done part of the step, 0 to 1. Draws a new step at once, progress less often. */
  update(step: string, share: number): void {
    const nowMs = this.#nowMs();
    if (step === this.#step && nowMs - this.#drawnAtMs < REDRAW_MS) return;
    this.#step = step;
    this.#drawnAtMs = nowMs;
    const done = Math.round(Math.min(1, Math.max(0, share)) * BAR_CHARACTERS);
    const bar = '#'.repeat(done).padEnd(BAR_CHARACTERS, '.');
    const percent = `${Math.floor(Math.min(1, share) * 100)}%`.padStart(4);
    this.#terminal?.write(`${CLEAR_LINE}[${bar}] ${percent} ${printableLine(step)}`);
  }

  /** Clears the line if something was drawn on it. */
  clear(): void {
    if (this.#step !== '') this.#terminal?.write(CLEAR_LINE);
    this.#step = '';
  }
}
