/** Light, dark, or as the system has it; remembered by the browser. */
import { Monitor, Moon, Sun } from 'lucide-react';
import { Store, useStore } from '../api/store';
import { Button } from '../ui/button';

type Theme = 'system' | 'light' | 'dark';

const STORAGE_KEY = 'ticklake-theme';

function storedTheme(): Theme {
  const value = localStorage.getItem(STORAGE_KEY);
  return value === 'light' || value === 'dark' ? value : 'system';
}

function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

/** Before the first paint. */
export function applyStoredTheme(): void {
  applyTheme(storedTheme());
}

const THEMES = {
  system: { icon: Monitor, label: 'System theme', next: 'light' },
  light: { icon: Sun, label: 'Light theme', next: 'dark' },
  dark: { icon: Moon, label: 'Dark theme', next: 'system' },
} as const satisfies Record<Theme, { next: Theme; label: string; icon: unknown }>;

const shown = new Store(storedTheme());

function chooseTheme(theme: Theme): void {
  localStorage.setItem(STORAGE_KEY, theme);
  applyTheme(theme);
  shown.set(theme);
}

/** The themes with what chooses each. */
export const THEME_COMMANDS = Object.entries(THEMES).map(([theme, { label }]) => ({
  label,
  run: () => chooseTheme(theme as Theme),
}));

/** Names the theme that is chosen, and goes on to the next one. */
export function ThemeButton() {
  const { icon, label, next } = THEMES[useStore(shown)];
  const choose = () => chooseTheme(next);
  return <Button icon={icon} kind="quiet" title={label} aria-label={label} onClick={choose} />;
}
