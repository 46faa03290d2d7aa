/** The colours of the theme as plain colours, for what is painted rather than styled. */

const TOKENS = {
  surface: '--surface',
  text: '--text-quiet',
  border: '--border',
  quiet: '--border-control',
  accent: '--accent',
  up: '--chart-up',
  down: '--chart-down',
} as const;

export type ChartColours = Readonly<Record<keyof typeof TOKENS, string>>;

/** As they count at the element now: a token says what is light and what is dark. */
export function chartColours(element: HTMLElement): ChartColours {
  const probe = document.createElement('span');
  element.append(probe);
  const colours = Object.entries(TOKENS).map(([name, token]) => {
    probe.style.color = `var(${token})`;
    return [name, getComputedStyle(probe).color] as const;
  });
  probe.remove();
  return Object.fromEntries(colours) as ChartColours;
}

/** Calls `onChange` when the person or the system changes between light and dark. */
export function watchTheme(onChange: () => void): () => void {
  const observer = new MutationObserver(onChange);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  const system = matchMedia('(prefers-color-scheme: dark)');
  system.addEventListener('change', onChange);
  return () => {
    observer.disconnect();
    system.removeEventListener('change', onChange);
  };
}
