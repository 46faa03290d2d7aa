/** Passwords that are made for people, shown once, for them to change. */
import { generatePassword, type Passwords } from '../access/passwords.ts';

export interface InitialPassword {
  readonly password: string;
  readonly hash: string;
}

export async function newInitialPassword(passwords: Passwords): Promise<InitialPassword> {
  const password = generatePassword();
  return { password, hash: await passwords.hash(password) };
}
