import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { SiteConfig } from '../api/client';
import { sessionQuery } from '../api/queries';
import icon from '../icon.svg';
import { ThemeButton } from '../layout/theme-choice';
import buttonStyles from '../ui/button.module.css';
import styles from './site-bar.module.css';

const LINKS = [
  { href: '/', label: 'Data' },
  { href: '/docs', label: 'Documentation' },
  { href: '/reference', label: 'API reference' },
] as const;

function isHere(href: string): boolean {
  const { pathname } = location;
  return href === '/' ? /^\/($|datasets\/)/.test(pathname) : pathname.startsWith(href);
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
