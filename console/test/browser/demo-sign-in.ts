import { readFileSync } from 'node:fs';
import { DEMO_OWNER_EMAIL, demoPasswordFile } from '@ticklake/demo/demo-home.ts';
import type { SignIn } from './person.ts';

/** The sign-in of the demo's owner, as long as the password has not been changed. */
export function demoSignIn(home: string): SignIn {
  const password = readFileSync(demoPasswordFile(home), 'utf8').trim();
  return { email: DEMO_OWNER_EMAIL, password };
}
