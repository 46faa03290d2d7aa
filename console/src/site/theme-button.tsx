import { Monitor, Moon, Sun } from 'lucide-react';
import { type Theme, useTheme } from '../layout/theme-choice';
import { Button } from '../ui/button';

const THEMES = {
  system: { icon: Monitor, label: 'System theme', next: 'light' },
  light: { icon: Sun, label: 'Light theme', next: 'dark' },
  dark: { icon: Moon, label: 'Dark theme', next: 'system' },
} as const satisfies Record<Theme, { next: Theme; label: string; icon: unknown }>;

/** Shows the theme, and goes on to the next one. */
export function ThemeButton() {
  const [theme, setTheme] = useTheme();
  const { icon: Icon, label, next } = THEMES[theme];
  return (
    <Button kind="quiet" title={label} aria-label={label} onClick={() => setTheme(next)}>
      <Icon size={18} aria-hidden />
    </Button>
  );
}
