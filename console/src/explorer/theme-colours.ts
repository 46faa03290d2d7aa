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

function colourOf(element: HTMLElement, token: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${token})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** As they count at the element now: a token says what is light and what is dark. */
export function chartColours(element: HTMLElement): ChartColours {
  const colours = Object.entries(TOKENS).map(
    ([name, token]) => [name, colourOf(element, token)] as const,
  );
  return Object.fromEntries(colours) as ChartColours;
}

const LINE_TOKENS = [
  '--chart-line-1',
  '--chart-line-2',
  '--chart-line-3',
  '--chart-line-4',
  '--chart-line-5',
  '--chart-line-6',
];

/** Colours that lines are told apart by. */
export function lineColours(element: HTMLElement): readonly string[] {
  return LINE_TOKENS.map((token) => colourOf(element, token));
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
