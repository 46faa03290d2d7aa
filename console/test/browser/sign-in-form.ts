import type { Page } from 'playwright-core';
import type { SignIn } from './person.ts';

/** Fills the sign-in screen and sends it. */
export async function signInByForm(page: Page, { email, password }: SignIn): Promise<void> {
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}
