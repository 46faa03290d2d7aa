/** The net under every other test here: what goes wrong in a page has to be seen. */
import { expect, it } from 'vitest';
import { graveFaults } from './accessibility.ts';
import { describe, newContext, startConsole } from './harness.ts';
import { Watch } from './watch.ts';

const tested = startConsole();

/** A page of its own, so that what is done wrong here fails no visit. */
async function watchedPage() {
  const context = await newContext();
  const page = await context.newPage();
  return { page, watch: new Watch(page, tested.url), close: () => context.close() };
}

describe('a watched page', () => {
  it.each([
    ['an error on the console', 'console.error("a mistake")', /console error: a mistake/],
    ['an error nobody caught', 'setTimeout(() => { throw new Error("lost") })', /page error.*lost/],
    ['a refused request', 'fetch("/v1/account/my").catch(() => 0)', /answer 401: GET/],
    ['a request to another host', 'location.assign("http://127.0.0.1:1/")', /another host/],
    ['a failed request', 'location.assign("http://127.0.0.1:1/")', /request failed: GET/],
    [
      'a script that the policy forbids',
      'document.body.append(Object.assign(document.createElement("script"), { text: "1" }))',
      /console error.*Content Security Policy/,
    ],
    [
      'a style that the policy forbids',
      'document.body.innerHTML = "<p style=\'color:red\'>x</p>"',
      /console error.*Content Security Policy/,
    ],
  ])('reports %s', async (_name, script, expected) => {
    const { page, watch, close } = await watchedPage();
    await page.goto(`${tested.url}/console/sign-in`);
    await page.getByRole('heading', { name: 'Sign in to Ticklake' }).waitFor();
    expect(watch.faults()).toEqual([]);
    await page.evaluate(`void (${script})`);
    await expect.poll(() => watch.faults().join('\n')).toMatch(expected);
    await close();
  });

  it('reports an announced refusal that did not come', async () => {
    const { watch, close } = await watchedPage();
    watch.announce(401, /session/);
    expect(watch.faults()).toEqual([expect.stringMatching(/^no answer 401/)]);
    await close();
  });

  it('reports what axe-core finds', async () => {
    const { page, close } = await watchedPage();
    await page.goto(`${tested.url}/console/sign-in`);
    await page.evaluate('document.body.innerHTML = "<img src=\'data:,\'><button></button>"');
    const faults = await graveFaults(page);
    expect(faults.map((fault) => fault.split(':')[0]).sort()).toEqual(['button-name', 'image-alt']);
    await close();
  });
});
