/** The screens in the order of the navigation. */
import {
  Activity,
  BellRing,
  BookOpen,
  Building2,
  CalendarCheck,
  ChartCandlestick,
  ChartNoAxesColumn,
  Database,
  Gauge,
  Inbox,
  KeyRound,
  Layers,
  type LucideIcon,
  Network,
  ReceiptText,
  ScrollText,
  ShieldCheck,
  Users,
  UsersRound,
} from 'lucide-react';

export interface NavigationEntry {
  readonly to:
    | '/'
    | '/usage'
    | '/keys'
    | '/team'
    | '/network'
    | '/access'
    | '/catalogue'
    | '/explorer'
    | '/alerts'
    | '/identities'
    | '/plans'
    | '/people'
    | '/access-requests'
    | '/usage-by-month'
    | '/publications'
    | '/coverage'
    | '/audit-log'
    | '/requests';
  readonly label: string;
  readonly icon: LucideIcon;
  /** Not for members. */
  readonly isForManagers?: boolean;
}

/** Need an account of one's own. */
export const ACCOUNT_ENTRIES: readonly NavigationEntry[] = [
  { to: '/', label: 'Overview', icon: Gauge },
  { to: '/usage', label: 'Usage', icon: ChartNoAxesColumn },
  { to: '/keys', label: 'API keys', icon: KeyRound },
  { to: '/team', label: 'Team', icon: UsersRound, isForManagers: true },
  { to: '/network', label: 'Network', icon: Network },
  { to: '/access', label: 'Data access', icon: ShieldCheck },
  { to: '/catalogue', label: 'Catalogue', icon: BookOpen },
  { to: '/explorer', label: 'Explorer', icon: ChartCandlestick },
];

/** For owners. */
export const OWNER_ENTRIES: readonly NavigationEntry[] = [
  { to: '/alerts', label: 'Alerts', icon: BellRing },
  { to: '/identities', label: 'Accounts', icon: Building2 },
  { to: '/plans', label: 'Plans', icon: Layers },
  { to: '/people', label: 'People', icon: Users },
  { to: '/access-requests', label: 'Access requests', icon: Inbox },
  { to: '/usage-by-month', label: 'Usage by month', icon: ReceiptText },
  { to: '/publications', label: 'Publications', icon: Database },
  { to: '/coverage', label: 'Coverage', icon: CalendarCheck },
  { to: '/requests', label: 'Requests', icon: Activity },
  { to: '/audit-log', label: 'Audit log', icon: ScrollText },
];
