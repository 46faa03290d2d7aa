const SHOWN_MS = 2000;

/** Gives each block of code a button that copies it, where the browser has a clipboard. */
export function addCopyButtons(page: Document): void {
  if (!navigator.clipboard) return;
  for (const block of page.querySelectorAll('article pre')) {
    const frame = page.createElement('div');
    frame.className = 'code';
    const button = page.createElement('button');
    button.type = 'button';
    button.textContent = 'Copy';
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(block.textContent);
      button.textContent = 'Copied';
      setTimeout(() => {
        button.textContent = 'Copy';
      }, SHOWN_MS);
    });
    block.replaceWith(frame);
    frame.append(block, button);
  }
}
