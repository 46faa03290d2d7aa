import { useMutation } from '@tanstack/react-query';
import { Link, Outlet, useNavigate } from '@tanstack/react-router';
import { LogOut, Menu, UserRound } from 'lucide-react';
import { Suspense, useState } from 'react';
import { postJson } from '../api/client';
import { forgetSession } from '../session/end-session';
import { useSession } from '../session/use-session';
import { Button } from '../ui/button';
import styles from './app-layout.module.css';
import { ConnectionBanner } from './connection-banner';
import { ACCOUNT_ENTRIES, type NavigationEntry, OWNER_ENTRIES } from './navigation';
import { ThemeChoice } from './theme-choice-menu';

function Entries({ title, entries }: { title: string; entries: readonly NavigationEntry[] }) {
  return (
    <section aria-label={title}>
      <h2 className={styles.section}>{title}</h2>
      <ul className={styles.entries}>
        {entries.map(({ to, label, icon: Icon }) => (
          <li key={to}>
            <Link to={to} className={styles.link} activeOptions={{ exact: to === '/' }}>
              <Icon size={18} aria-hidden />
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

function SignOut() {
  const navigate = useNavigate();
  const signOut = useMutation({
    mutationFn: () => postJson('/session/end'),
    onSuccess: async () => {
      forgetSession();
      await navigate({ to: '/sign-in' });
    },
  });
  return (
    <Button kind="quiet" isBusy={signOut.isPending} onClick={() => signOut.mutate()}>
      <LogOut size={16} aria-hidden />
      Sign out
    </Button>
  );
}

/** The frame of every screen of a person who is signed in. */
export function AppLayout() {
  const session = useSession();
  const { person, identity } = session;
  const [isMenuOpen, setIsMenuOpen] = useState(false);
  return (
    <>
      <a href="#content" className={styles.skip}>
        Skip to the content
      </a>
      <ConnectionBanner />
      <div className={styles.frame}>
        <header className={styles.bar}>
          <Button
            kind="quiet"
            aria-expanded={isMenuOpen}
            aria-controls="navigation"
            onClick={() => setIsMenuOpen(!isMenuOpen)}
          >
            <Menu size={18} aria-hidden />
            Menu
          </Button>
          <strong>Ticklake</strong>
        </header>
        {/* biome-ignore lint/a11y/useKeyWithClickEvents: a link inside was chosen, also by keyboard */}
        <nav
          id="navigation"
          aria-label="Screens"
          className={`${styles.navigation} ${isMenuOpen ? styles.open : ''}`}
          onClick={(event) => {
            if ((event.target as Element).closest('a')) setIsMenuOpen(false);
          }}
        >
          <p className={styles.brand}>Ticklake</p>
          {identity && <Entries title={identity.name} entries={ACCOUNT_ENTRIES} />}
          {person.role === 'owner' && <Entries title="Administration" entries={OWNER_ENTRIES} />}
          <div className={styles.person}>
            <Link to="/profile" className={styles.link}>
              <UserRound size={18} aria-hidden />
              <span className={styles.email}>{person.email}</span>
            </Link>
            <ThemeChoice />
            <SignOut />
          </div>
        </nav>
        <main id="content" className={styles.content} tabIndex={-1}>
          <Suspense fallback={<p role="status">Loading…</p>}>
            <Outlet />
          </Suspense>
        </main>
      </div>
    </>
  );
}
