import { useMutation } from '@tanstack/react-query';
import { Link, Outlet, useNavigate } from '@tanstack/react-router';
import { BookText, LogOut, Menu, UserRound } from 'lucide-react';
import { type KeyboardEvent, Suspense, useRef, useState } from 'react';
import { postJson } from '../api/client';
import { forgetSession } from '../session/end-session';
import { mayChange, useSession } from '../session/use-session';
import { useSessionWatch } from '../session/use-session-watch';
import { Button } from '../ui/button';
import { forgetDrafts } from '../ui/drafts';
import { NameMark } from '../ui/name-mark';
import { Skeleton } from '../ui/skeleton';
import styles from './app-layout.module.css';
import { ConnectionBanner } from './connection-banner';
import { EntryCount } from './entry-count';
import { InitialPasswordNotice } from './initial-password-notice';
import { ACCOUNT_ENTRIES, type NavigationEntry, OWNER_ENTRIES } from './navigation';
import { ThemeChoice } from './theme-choice-menu';
import { useFocusOnNavigation } from './use-focus-on-navigation';
import { useKeptFocus } from './use-kept-focus';

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
              <EntryCount to={to} />
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
      forgetDrafts();
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

/** The screens that the person may open; on narrow windows behind a button. */
function Navigation({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const session = useSession();
  const { person, identity } = session;
  const entries = ACCOUNT_ENTRIES.filter(
    ({ isForManagers }) => !isForManagers || mayChange(session),
  );
  const closeOnEscape = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && !event.defaultPrevented) onClose();
  };
  return (
    <nav
      id="navigation"
      aria-label="Screens"
      className={`${styles.navigation} ${isOpen ? styles.open : ''}`}
      onKeyDown={closeOnEscape}
      onClick={(event) => {
        if ((event.target as Element).closest('a')) onClose();
      }}
    >
      <p className={styles.brand}>
        <NameMark />
      </p>
      {identity && <Entries title={identity.name} entries={entries} />}
      {person.role === 'owner' && <Entries title="Administration" entries={OWNER_ENTRIES} />}
      <div className={styles.person}>
        <a href="/docs" className={styles.link}>
          <BookText size={18} aria-hidden />
          Documentation
        </a>
        <Link to="/profile" className={styles.link}>
          <UserRound size={18} aria-hidden />
          <span className={styles.email}>{person.email}</span>
        </Link>
        <div className={styles.tools}>
          <ThemeChoice />
          <SignOut />
        </div>
      </div>
    </nav>
  );
}

/** The frame of every screen of a person who is signed in. */
export function AppLayout() {
  const [isMenuOpen, setIsMenuOpen] = useState(false);
  const content = useRef<HTMLElement>(null);
  const menuButton = useRef<HTMLButtonElement>(null);
  useSessionWatch();
  useFocusOnNavigation(content);
  useKeptFocus(content);
  const closeMenu = () => {
    if (isMenuOpen) menuButton.current?.focus();
    setIsMenuOpen(false);
  };
  return (
    <>
      <a href="#content" className={styles.skip}>
        Skip to the content
      </a>
      <div className={styles.top}>
        <ConnectionBanner />
        <header className={styles.bar}>
          <Button
            ref={menuButton}
            kind="quiet"
            aria-expanded={isMenuOpen}
            aria-controls="navigation"
            onClick={() => setIsMenuOpen(!isMenuOpen)}
          >
            <Menu size={18} aria-hidden />
            Menu
          </Button>
          <NameMark />
        </header>
      </div>
      <div className={styles.frame}>
        <Navigation isOpen={isMenuOpen} onClose={closeMenu} />
        <main id="content" ref={content} className={styles.content} tabIndex={-1}>
          <InitialPasswordNotice />
          <Suspense fallback={<Skeleton what="the page" />}>
            <Outlet />
          </Suspense>
        </main>
      </div>
    </>
  );
}
