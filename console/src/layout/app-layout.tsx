import { useMutation, useQuery } from '@tanstack/react-query';
import {
  Link,
  type LinkProps,
  Outlet,
  useLocation,
  useNavigate,
  useRouter,
} from '@tanstack/react-router';
import {
  Activity,
  BellRing,
  BookOpen,
  BookText,
  Building2,
  CalendarCheck,
  ChartCandlestick,
  ChartNoAxesColumn,
  Database,
  Gauge,
  House,
  Inbox,
  KeyRound,
  Layers,
  LogOut,
  type LucideIcon,
  Menu,
  Network,
  ReceiptText,
  Rows3,
  ScrollText,
  Search as SearchIcon,
  ShieldCheck,
  UserRound,
  Users,
  UsersRound,
} from 'lucide-react';
import {
  type KeyboardEvent,
  lazy,
  type RefObject,
  Suspense,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from 'react';
import { postJson } from '../api/client';
import {
  alertsQuery,
  enquiriesQuery,
  openAccessRequestsQuery,
  ownCatalogueQuery,
} from '../api/queries';
import { loadPart } from '../api/server-back';
import { useStore } from '../api/store';
import { plural } from '../format/texts';
import { forgetSession, mayChange, useSession, useSessionWatch } from '../session/session';
import { Button } from '../ui/button';
import { forgetDrafts } from '../ui/drafts';
import { NameMark } from '../ui/name-mark';
import { closeDialog, openDialog, placeOf } from '../ui/open-dialog';
import { Notice, Skeleton, useDismissed } from '../ui/page';
import styles from './entry-count.module.css';
import { ConnectionBanner } from './server-away';
import { ThemeButton } from './theme-choice';
import { tray } from './tray';

const Palette = lazy(() => loadPart(() => import('../palette/palette')));

interface NavigationEntry {
  readonly to: NonNullable<LinkProps['to']>;
  readonly label: string;
  readonly icon: LucideIcon;
  /** Not for members. */
  readonly isForManagers?: boolean;
  /** Only where the account may read this dataset. */
  readonly needs?: string;
}

/** Need an account of one's own. */
const ACCOUNT_ENTRIES: readonly NavigationEntry[] = [
  { to: '/', label: 'Overview', icon: Gauge },
  { to: '/usage', label: 'Usage', icon: ChartNoAxesColumn },
  { to: '/keys', label: 'API keys', icon: KeyRound },
  { to: '/team', label: 'Team', icon: UsersRound, isForManagers: true },
  { to: '/network', label: 'Network', icon: Network },
  { to: '/access', label: 'Data access', icon: ShieldCheck },
  { to: '/catalogue', label: 'Catalogue', icon: BookOpen },
  { to: '/explorer', label: 'Explorer', icon: ChartCandlestick },
  { to: '/option-chains', label: 'Option chains', icon: Rows3, needs: 'opt_tanq' },
];

const OWNER_ENTRIES: readonly NavigationEntry[] = [
  { to: '/home', label: 'Home', icon: House },
  { to: '/alerts', label: 'Alerts', icon: BellRing },
  { to: '/accounts', label: 'Accounts', icon: Building2 },
  { to: '/plans', label: 'Plans', icon: Layers },
  { to: '/people', label: 'People', icon: Users },
  { to: '/access-requests', label: 'Access requests', icon: Inbox },
  { to: '/usage-by-month', label: 'Usage by month', icon: ReceiptText },
  { to: '/publications', label: 'Publications', icon: Database },
  { to: '/coverage', label: 'Coverage', icon: CalendarCheck },
  { to: '/requests', label: 'Requests', icon: Activity },
  { to: '/audit-log', label: 'Audit log', icon: ScrollText },
];

const REFRESH_MS = 60_000;

function Count({ count, noun }: { count: number; noun: string }) {
  if (count === 0) return null;
  return (
    <span className={styles.count}>
      <span aria-hidden>{count}</span>
      <span className="visually-hidden">({plural(count, noun)})</span>
    </span>
  );
}

function OpenRequestCount() {
  const { data } = useQuery({ ...openAccessRequestsQuery, refetchInterval: REFRESH_MS });
  const { data: enquiries = [] } = useQuery({ ...enquiriesQuery, refetchInterval: REFRESH_MS });
  return <Count count={(data?.data.length ?? 0) + enquiries.length} noun="open request" />;
}

function AlertCount() {
  const { data } = useQuery(alertsQuery);
  return <Count count={data?.length ?? 0} noun="alert" />;
}

const COUNTS: Readonly<Partial<Record<string, () => React.ReactNode>>> = {
  '/access-requests': OpenRequestCount,
  '/alerts': AlertCount,
};

/** Shown until it is dismissed, or the person has a password that nobody else has seen. */
function InitialPasswordNotice() {
  const { person } = useSession();
  const [isDismissed, dismiss] = useDismissed(`initial-password-${person.person_id}`);
  if (!person.is_password_initial || isDismissed) return null;
  return (
    <div className={styles.place}>
      <Notice kind="info" onDismiss={dismiss}>
        You are still using your initial password. <Link to="/profile">Change it</Link> to one that
        only you know.
      </Notice>
    </div>
  );
}

/** Low windows do not show all entries of the navigation. */
function showEntry(): void {
  const entry = document.querySelector('#navigation [aria-current="page"]');
  entry?.scrollIntoView({ block: 'nearest' });
}

/** After another screen was opened, the focus goes to its title, which is then read out. */
function useFocusOnNavigation(content: RefObject<HTMLElement | null>): void {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
        if (!pathChanged) return;
        showEntry();
        if (fromLocation === undefined) return;
        const target = content.current?.querySelector('h1') ?? content.current;
        target?.focus({ preventScroll: true });
      }),
    [router, content],
  );
}

/**
 * When what had the focus is gone, such as a row that was deleted, the focus goes to the screen's
 * title: keyboards would else begin at the top again.
 */
function useKeptFocus(content: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = content.current;
    if (element === null) return;
    let focused: EventTarget | null = null;
    const remember = ({ target }: FocusEvent) => {
      focused = target;
    };
    const observer = new MutationObserver(() => {
      if (!(focused instanceof Element) || focused.isConnected) return;
      focused = null;
      if (document.activeElement !== document.body) return;
      (element.querySelector('h1') ?? element).focus({ preventScroll: true });
    });
    element.addEventListener('focusin', remember);
    observer.observe(element, { childList: true, subtree: true });
    return () => {
      element.removeEventListener('focusin', remember);
      observer.disconnect();
    };
  }, [content]);
}

function Entries({ title, entries }: { title: string; entries: readonly NavigationEntry[] }) {
  return (
    <section aria-label={title}>
      <h2 className={styles.section}>{title}</h2>
      <ul className={styles.entries}>
        {entries.map(({ to, label, icon: Icon }) => {
          const ShownCount = COUNTS[to];
          return (
            <li key={to}>
              <Link to={to} className={styles.link} activeOptions={{ exact: to === '/' }}>
                <Icon size={18} aria-hidden />
                {label}
                {ShownCount && <ShownCount />}
              </Link>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function useSignOut() {
  const navigate = useNavigate();
  return useMutation({
    mutationFn: () => postJson('/session/end'),
    onSuccess: async () => {
      forgetDrafts();
      forgetSession();
      await navigate({ to: '/sign-in' });
    },
  });
}

type SignOut = ReturnType<typeof useSignOut>;

/** The screens that the person may open: the account's, and those of owners. */
function useEntries() {
  const session = useSession();
  const { person, account } = session;
  const { data: datasets } = useQuery({ ...ownCatalogueQuery, enabled: account !== null });
  const ofAccount = ACCOUNT_ENTRIES.filter(
    ({ isForManagers, needs }) =>
      (!isForManagers || mayChange(session)) &&
      (!needs || datasets?.some(({ dataset_text_id: id }) => id === needs)),
  );
  return {
    account: account === null ? [] : ofAccount,
    owner: person.role === 'owner' ? OWNER_ENTRIES : [],
  };
}

interface NavigationProps {
  entries: ReturnType<typeof useEntries>;
  signOut: SignOut;
  isOpen: boolean;
  onClose: () => void;
  onFind: () => void;
}

/** On narrow windows behind a button. */
function Navigation({ entries, signOut, isOpen, onClose, onFind }: NavigationProps) {
  const { person, account } = useSession();
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
      <Button icon={SearchIcon} aria-keyshortcuts="Control+K Meta+K" onClick={onFind}>
        Find <kbd aria-hidden>Ctrl K</kbd>
      </Button>
      {account && <Entries title={account.name} entries={entries.account} />}
      {entries.owner.length > 0 && <Entries title="Administration" entries={entries.owner} />}
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
          <ThemeButton />
          <Button
            icon={LogOut}
            kind="quiet"
            isBusy={signOut.isPending}
            onClick={() => signOut.mutate()}
          >
            Sign out
          </Button>
        </div>
      </div>
    </nav>
  );
}

/** Opens the palette, whatever has the focus, but never over a dialog, which that could lose. */
function useFindKey(open: () => void): void {
  const onKey = useEffectEvent((event: globalThis.KeyboardEvent) => {
    const { ctrlKey, metaKey, altKey, shiftKey, key } = event;
    if (!(ctrlKey || metaKey) || altKey || shiftKey || key.toLowerCase() !== 'k') return;
    event.preventDefault();
    if (document.querySelector('[role="dialog"]') === null) open();
  });
  useEffect(() => {
    const listen = (event: globalThis.KeyboardEvent) => onKey(event);
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
}

/** The open dialog, which goes with the screen, or the tab of it, that it was opened on. */
function OpenDialog() {
  const place = useLocation({ select: placeOf });
  useEffect(() => closeDialog, [place]);
  return useStore(openDialog);
}

export function AppLayout() {
  const [isFinding, setIsFinding] = useState(false);
  const entries = useEntries();
  const entryCount = entries.account.length;
  useEffect(() => {
    if (entryCount > 0) showEntry();
  }, [entryCount]);
  const signOut = useSignOut();
  const find = () => {
    closeMenu();
    setIsFinding(true);
  };
  useFindKey(find);
  const [isMenuOpen, setIsMenuOpen] = useState(false);
  const content = useRef<HTMLElement>(null);
  const menuButton = useRef<HTMLButtonElement>(null);
  const Tray = useStore(tray);
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
            icon={Menu}
            ref={menuButton}
            kind="quiet"
            aria-expanded={isMenuOpen}
            aria-controls="navigation"
            onClick={() => setIsMenuOpen(!isMenuOpen)}
          >
            Menu
          </Button>
          <NameMark />
        </header>
      </div>
      <div className={styles.frame}>
        <Navigation
          {...{ entries, signOut }}
          isOpen={isMenuOpen}
          onClose={closeMenu}
          onFind={find}
        />
        <OpenDialog />
        {isFinding && (
          <Suspense>
            <Palette
              entries={[...entries.account, ...entries.owner]}
              signOut={signOut.mutate}
              onClose={() => setIsFinding(false)}
            />
          </Suspense>
        )}
        <main id="content" ref={content} className={styles.content} tabIndex={-1}>
          <InitialPasswordNotice />
          <Suspense fallback={<Skeleton what="the page" />}>
            <Outlet />
          </Suspense>
          {Tray && <Tray />}
        </main>
      </div>
    </>
  );
}
