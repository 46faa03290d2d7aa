/**
 * Every screen and its address below `/console`. All but sign-in are loaded when they are opened.
 */
import { QueryClientProvider } from '@tanstack/react-query';
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import type { ReactNode } from 'react';
import {
  readAuditFilter,
  readHistoryFilter,
  readIdentityTab,
  readMonthRange,
  readSearchText,
} from './administration/searches';
import { queryClient, sessionQuery } from './api/queries';
import { loadPart } from './api/server-back';
import { readCatalogueSearch, readDatasetTab } from './catalogue/catalogue-search';
import { readExplorerSearch } from './explorer/explorer-search';
import { readCoverageRange } from './heat-map/coverage-range';
import { AppLayout } from './layout/app-layout';
import { knownSearch } from './layout/known-search';
import { NotFound, ScreenFailure } from './layout/server-away';
import { sessionOf } from './session/session';
import { SignInScreen } from './session/sign-in-screen';
import { ToastList, ToastProvider } from './ui/toasts';
import { readUsagePeriod } from './usage/usage-period';

const root = createRootRoute({
  component: () => (
    <QueryClientProvider client={queryClient}>
      <ToastProvider>
        <Outlet />
        <ToastList />
      </ToastProvider>
    </QueryClientProvider>
  ),
  notFoundComponent: NotFound,
});

/** A screen that is loaded when it is first opened. */
function screen<Name extends string>(
  load: () => Promise<Record<Name, () => ReactNode>>,
  name: Name,
) {
  return lazyRouteComponent(() => loadPart(load), name);
}

/** A path of this console to go to after signing in; anything else is dropped. */
function ownPath(value: unknown): string | undefined {
  return typeof value === 'string' && /^\/(?![/\\])/.test(value) ? value : undefined;
}

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: knownSearch<{ next?: string }>((search) => {
    const next = ownPath(search.next);
    return next === undefined ? {} : { next };
  }),
  beforeLoad: async ({ search }) => {
    const session = sessionOf(await queryClient.ensureQueryData(sessionQuery));
    if (session) throw redirect({ href: search.next ?? '/' });
  },
  component: SignInScreen,
});

/** Links of invitations and resets lead here, whoever is signed in. */
const choosePassword = createRoute({
  getParentRoute: () => root,
  path: '/choose-password',
  component: screen(() => import('./session/choose-password-screen'), 'ChoosePasswordScreen'),
});

const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: async ({ location }) => {
    const session = sessionOf(await queryClient.ensureQueryData(sessionQuery));
    if (session === null) throw redirect({ to: '/sign-in', search: { next: location.href } });
    return { session };
  },
  component: AppLayout,
});

/** Owners without an account have none of its screens. */
const account = createRoute({
  getParentRoute: () => signedIn,
  id: 'account',
  beforeLoad: ({ context }) => {
    if (context.session.identity === null) throw redirect({ to: '/identities' });
  },
});

const administration = createRoute({
  getParentRoute: () => signedIn,
  id: 'administration',
  beforeLoad: ({ context }) => {
    if (context.session.person.role !== 'owner') throw redirect({ to: '/' });
  },
});

const accountScreens = [
  createRoute({
    getParentRoute: () => account,
    path: '/',
    component: screen(() => import('./overview/overview-screen'), 'OverviewScreen'),
  }),
  createRoute({
    getParentRoute: () => account,
    path: '/usage',
    validateSearch: knownSearch(readUsagePeriod),
    component: screen(() => import('./usage/usage-screen'), 'UsageScreen'),
  }),
  createRoute({
    getParentRoute: () => account,
    path: '/keys',
    component: screen(() => import('./keys/keys-screen'), 'KeysScreen'),
  }),
  createRoute({
    getParentRoute: () => account,
    path: '/team',
    beforeLoad: ({ context }) => {
      if (context.session.person.role === 'member') throw redirect({ to: '/' });
    },
    component: screen(() => import('./team/team-screen'), 'TeamScreen'),
  }),
  createRoute({
    getParentRoute: () => account,
    path: '/network',
    component: screen(() => import('./network/network-screen'), 'NetworkScreen'),
  }),
  createRoute({
    getParentRoute: () => account,
    path: '/access',
    component: screen(() => import('./access/access-screen'), 'AccessScreen'),
  }),
  createRoute({
    getParentRoute: () => account,
    path: '/catalogue',
    validateSearch: knownSearch(readCatalogueSearch),
    component: screen(() => import('./catalogue/catalogue-screen'), 'CatalogueScreen'),
  }),
  createRoute({
    getParentRoute: () => account,
    path: '/catalogue/$datasetId',
    validateSearch: knownSearch(readDatasetTab),
    component: screen(() => import('./catalogue/dataset-screen'), 'DatasetScreen'),
  }),
  createRoute({
    getParentRoute: () => account,
    path: '/explorer',
    validateSearch: knownSearch(readExplorerSearch),
    component: screen(() => import('./explorer/explorer-screen'), 'ExplorerScreen'),
  }),
] as const;

const administrationScreens = [
  createRoute({
    getParentRoute: () => administration,
    path: '/alerts',
    component: screen(() => import('./alerts/alerts'), 'AlertsScreen'),
  }),
  createRoute({
    getParentRoute: () => administration,
    path: '/identities',
    validateSearch: knownSearch(readSearchText),
    component: screen(() => import('./administration/identities-screen'), 'IdentitiesScreen'),
  }),
  createRoute({
    getParentRoute: () => administration,
    path: '/identities/$identityId',
    validateSearch: knownSearch(readIdentityTab),
    component: screen(() => import('./administration/identity-screen'), 'IdentityScreen'),
  }),
  createRoute({
    getParentRoute: () => administration,
    path: '/plans',
    validateSearch: knownSearch(readSearchText),
    component: screen(() => import('./administration/plans-screen'), 'PlansScreen'),
  }),
  createRoute({
    getParentRoute: () => administration,
    path: '/plans/$planId',
    component: screen(() => import('./administration/plan-screen'), 'PlanScreen'),
  }),
  createRoute({
    getParentRoute: () => administration,
    path: '/people',
    validateSearch: knownSearch(readSearchText),
    component: screen(() => import('./administration/people-screen'), 'PeopleScreen'),
  }),
  createRoute({
    getParentRoute: () => administration,
    path: '/access-requests',
    component: screen(
      () => import('./administration/access-requests-screen'),
      'AccessRequestsScreen',
    ),
  }),
  createRoute({
    getParentRoute: () => administration,
    path: '/publications',
    component: screen(() => import('./administration/publications-screen'), 'PublicationsScreen'),
  }),
  createRoute({
    getParentRoute: () => administration,
    path: '/publications/history',
    validateSearch: knownSearch(readHistoryFilter),
    component: screen(() => import('./administration/history-screen'), 'HistoryScreen'),
  }),
  createRoute({
    getParentRoute: () => administration,
    path: '/publications/$publicationId',
    component: screen(() => import('./administration/publication-screen'), 'PublicationScreen'),
  }),
  createRoute({
    getParentRoute: () => administration,
    path: '/coverage',
    validateSearch: knownSearch(readCoverageRange),
    component: screen(() => import('./heat-map/coverage-screen'), 'CoverageScreen'),
  }),
  createRoute({
    getParentRoute: () => administration,
    path: '/usage-by-month',
    validateSearch: knownSearch(readMonthRange),
    component: screen(() => import('./administration/monthly-usage-screen'), 'MonthlyUsageScreen'),
  }),
  createRoute({
    getParentRoute: () => administration,
    path: '/audit-log',
    validateSearch: knownSearch(readAuditFilter),
    component: screen(() => import('./administration/audit-log-screen'), 'AuditLogScreen'),
  }),
  createRoute({
    getParentRoute: () => administration,
    path: '/requests',
    component: screen(() => import('./administration/requests-screen'), 'RequestsScreen'),
  }),
] as const;

const profile = createRoute({
  getParentRoute: () => signedIn,
  path: '/profile',
  component: screen(() => import('./profile/profile-screen'), 'ProfileScreen'),
});

export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    choosePassword,
    signedIn.addChildren([
      account.addChildren([...accountScreens]),
      administration.addChildren([...administrationScreens]),
      profile,
    ]),
  ]),
  basepath: '/console',
  defaultErrorComponent: ScreenFailure,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
