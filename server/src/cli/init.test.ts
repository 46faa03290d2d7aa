import { PassThrough, Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { UsageError } from '../base/errors.ts';
import { askPassword } from './init.ts';

/** A terminal that is asked for its state at every prompt, and answers the prompts in turn. */
function terminal(answers: readonly string[]) {
  const waiting = [...answers];
  const isRawAtPrompt: boolean[] = [];
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    isRaw: false,
    setRawMode(isRaw: boolean) {
      stdin.isRaw = isRaw;
    },
  });
  const stderr = new Writable({
    write(text, _encoding, done) {
      if (`${text}`.endsWith(': ')) {
        isRawAtPrompt.push(stdin.isRaw);
        stdin.write(waiting.shift());
      }
      done();
    },
  });
  return { stdin, stderr, isRawAtPrompt, signal: new AbortController().signal };
}

it('asks only when the terminal shows no more what is typed, and lets it do so again', async () => {
  const asked = terminal(['secret words\r', 'secret words\r']);
  expect(await askPassword(asked, 'Password: ')).toBe('secret words');
  expect(asked.isRawAtPrompt).toEqual([true, true]);
  expect(asked.stdin.isRaw).toBe(false);
});

it('takes what is pasted for both questions at once', async () => {
  const pasted = terminal(['secret words\rsecret words\r', '']);
  expect(await askPassword(pasted, 'Password: ')).toBe('secret words');
});

it('refuses two that differ, and takes none for none', async () => {
  const differing = askPassword(terminal(['one\r', 'other\r']), 'Password: ');
  await expect(differing).rejects.toThrow(UsageError);
  expect(await askPassword(terminal(['\r']), 'Password: ')).toBe('');
});
