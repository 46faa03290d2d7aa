/** Light, dark, or as the system has it; remembered by the browser. */
import { useState } from 'react';

export type Theme = 'system' | 'light' | 'dark';

const STORAGE_KEY = 'ticklake-theme';

function isTheme(value: string | null): value is Theme {
  return value === 'system' || value === 'light' || value === 'dark';
}

function storedTheme(): Theme {
  const value = localStorage.getItem(STORAGE_KEY);
  return isTheme(value) ? value : 'system';
}

function applyTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

/** Before the first paint. */
export function applyStoredTheme(): void {
  applyTheme(storedTheme());
}

export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState(storedTheme);
  const choose = (next: Theme) => {
    localStorage.setItem(STORAGE_KEY, next);
    applyTheme(next);
    setTheme(next);
  };
  return [theme, choose];
}
