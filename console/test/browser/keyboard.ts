/** Moving about with keys alone: what has the focus is asked for by its name. */
import type { Page } from 'playwright-core';

const TABS_MAX = 80;

/**
 * Role and name of what has the focus, as a screen reader says them. Dialogs move the focus in the
 * next frame, which nobody is faster than: a key before it would go elsewhere.
 */
export async function focused(page: Page): Promise<string> {
  return page.evaluate(async () => {
    await new Promise(requestAnimationFrame);
    const element = document.activeElement as HTMLElement | null;
    if (element === null) return '';
    const labels = element.getAttribute('aria-labelledby')?.split(' ') ?? [];
    const byLabels = labels.map((id) => document.getElementById(id)?.textContent ?? '');
    const own = (element as HTMLInputElement).labels ?? [];
    const names = [element.ariaLabel, ...byLabels, ...[...own].map((label) => label.textContent)];
    const name = names.find((text) => text) ?? element.textContent;
    return `${element.role ?? element.tagName.toLowerCase()} ${name?.trim()}`;
  });
}

/** Presses Tab until what is named so has the focus. */
export async function tabTo(page: Page, wanted: RegExp, key = 'Tab'): Promise<void> {
  const passed: string[] = [];
  for (let count = 0; count < TABS_MAX; count += 1) {
    await page.keyboard.press(key);
    const now = await focused(page);
    if (wanted.test(now)) return;
    passed.push(now);
  }
  throw new Error(`${key} never led to ${wanted}, only to:\n  ${passed.join('\n  ')}`);
}

/** Lets what is named so have the focus, unless it has it already. */
export async function focusOn(page: Page, wanted: RegExp): Promise<void> {
  if (!wanted.test(await focused(page))) await tabTo(page, wanted);
}
