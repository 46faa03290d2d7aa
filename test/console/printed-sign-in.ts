import type { SignIn } from './person.ts';

/** What the first start printed for the person who started it. */
export function printedSignIn(stdout: string): SignIn {
  const [, email, password] = /sign in +(\S+@\S+) +(\S+)/i.exec(stdout) ?? [];
  if (!email || !password) throw new Error(`no sign-in was printed:\n${stdout}`);
  return { email, password };
}
