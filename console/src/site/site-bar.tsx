import { useQuery } from '@tanstack/react-query';
import { Monitor, Moon, Sun } from 'lucide-react';
import type { ReactNode } from 'react';
import type { SiteConfig } from '../api/client';
import { sessionQuery } from '../api/queries';
import icon from '../icon.svg';
import { type Theme, useTheme } from '../layout/theme-choice';
import { Button } from '../ui/button';
import buttonStyles from '../ui/button.module.css';
import styles from './site-bar.module.css';

const THEMES = {
  system: { icon: Monitor, label: 'System theme', next: 'light' },
  light: { icon: Sun, label: 'Light theme', next: 'dark' },
  dark: { icon: Moon, label: 'Dark theme', next: 'system' },
} as const satisfies Record<Theme, { next: Theme; label: string; icon: unknown }>;

function ThemeButton() {
  const [theme, setTheme] = useTheme();
  const { icon: Icon, label, next } = THEMES[theme];
  return (
    <Button kind="quiet" title={label} aria-label={label} onClick={() => setTheme(next)}>
      <Icon size={18} aria-hidden />
    </Button>
  );
}

const LINKS = [
  { href: '/', label: 'Data' },
  { href: '/docs', label: 'Documentation' },
  { href: '/reference', label: 'API reference' },
] as const;

function isHere(href: string): boolean {
  return href === '/' ? location.pathname === '/' : location.pathname.startsWith(href);
}

/** For whoever is signed in, the way to the console. */
function ConsoleLink() {
  const session = useQuery(sessionQuery);
  return (
    <a
      className={`${buttonStyles.button} ${buttonStyles.primary} ${styles.enter}`}
      href="/console/"
    >
      {session.data?.person ? 'Console' : 'Sign in'}
    </a>
  );
}

interface SiteBarProps {
  config: SiteConfig | null;
  /** A search of what the page shows. */
  children?: ReactNode;
}

/** The head of the pages that need nobody to be signed in. */
export function SiteBar({ config, children }: SiteBarProps) {
  return (
    <header className={styles.bar}>
      <a href="/" className={styles.brand}>
        <img src={config?.logo ?? icon} alt="" height={26} />
        {config?.name}
      </a>
      <nav aria-label="Site" className={styles.links}>
        {LINKS.map(({ href, label }) => (
          <a key={href} href={href} aria-current={isHere(href) ? 'page' : undefined}>
            {label}
          </a>
        ))}
      </nav>
      <div className={styles.search}>{children}</div>
      <div className={styles.end}>
        <ThemeButton />
        {config && <ConsoleLink />}
      </div>
    </header>
  );
}
