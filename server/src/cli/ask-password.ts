/** Asks for a password at the terminal: twice, and without showing what is typed. */
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { UsageError } from '../base/errors.ts';
import { isTerminal } from './terminal.ts';

export interface PasswordTerminal {
  readonly stdin: NodeJS.ReadableStream;
  readonly stderr: NodeJS.WritableStream;
  readonly signal: AbortSignal;
}

export function canAsk({ stdin, stderr }: PasswordTerminal): boolean {
  return isTerminal(stdin) && isTerminal(stderr);
}

/** Swallows what the line editor would echo. */
function nowhere(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}

async function askOnce({ stdin, stderr, signal }: PasswordTerminal, prompt: string) {
  const ending = new AbortController();
  const lines = createInterface({ input: stdin, output: nowhere(), terminal: true });
  // The line editor catches the interrupt key, so it has to be passed on to the program.
  lines.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  lines.once('close', () => ending.abort());
  try {
    const answer = lines.question('', { signal: AbortSignal.any([signal, ending.signal]) });
    // Echo is off before the prompt appears, because a person may type or paste at once.
    stderr.write(prompt);
    return await answer;
  } catch (error) {
    if (signal.aborted) throw error;
    throw new UsageError('no password was given');
  } finally {
    lines.close();
    stderr.write('\n');
  }
}

/** Throws `UsageError` if the two do not match or none is given. */
export async function askPassword(terminal: PasswordTerminal, prompt: string): Promise<string> {
  const password = await askOnce(terminal, prompt);
  if (password === '') return password;
  const again = await askOnce(terminal, 'Repeat the password: ');
  if (again !== password) throw new UsageError('the two passwords differ; nothing was changed');
  return password;
}
