/** Every screen and its address below `/console`. All but sign-in are loaded when opened. */
import { QueryClientProvider } from '@tanstack/react-query';
import {
  type AnyRoute,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import type { Role } from '@ticklake/client';
import type { ReactNode } from 'react';
import {
  readAccountTab,
  readAuditFilter,
  readHistoryFilter,
  readMonthRange,
} from './administration/searches';
import { queryClient, sessionQuery } from './api/queries';
import { loadPart } from './api/server-back';
import { readCatalogueSearch, readDatasetTab } from './catalogue/catalogue-search';
import { readExplorerSearch } from './explorer/explorer-search';
import { readCoverageRange } from './heat-map/coverage-range';
import { AppLayout } from './layout/app-layout';
import { knownSearch, readKeysSearch, readSearchText } from './layout/known-search';
import { NotFound, RoleRefusal, ScreenFailure } from './layout/server-away';
import { readChainSearch } from './option-chain/chain-search';
import { sessionOf, useSession } from './session/session';
import { SignInScreen } from './session/sign-in-screen';
import { Toasts } from './ui/toasts';
import { readUsagePeriod } from './usage/usage-period';

const root = createRootRoute({
  component: () => (
    <QueryClientProvider client={queryClient}>
      <Outlet />
      <Toasts />
    </QueryClientProvider>
  ),
});

type Load = () => Promise<{ readonly default: () => ReactNode }>;

/**
 * Makes the routes of screens below another one. A screen is loaded when it is first opened; `read`
 * says what it knows of the search of its address.
 */
function screensOf<Parent extends AnyRoute>(getParentRoute: () => Parent) {
  return <const Path extends string, Search extends object = Readonly<Record<never, never>>>(
    path: Path,
    load: Load,
    read: (search: Readonly<Record<string, unknown>>) => Search = () => ({}) as Search,
  ) =>
    createRoute({
      getParentRoute,
      path,
      validateSearch: knownSearch(read),
      component: lazyRouteComponent(() => loadPart(load)),
    });
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
const choosePassword = screensOf(() => root)(
  '/choose-password',
  () => import('./session/choose-password-screen'),
);

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
    if (context.session.account === null) throw redirect({ to: '/home' });
  },
});

/** Other people are told that they may not, in place of the screen. */
function screensFor<Parent extends AnyRoute, const Id extends string>(
  parent: Parent,
  id: Id,
  roles: readonly Role[],
) {
  const component = () =>
    roles.includes(useSession().person.role) ? <Outlet /> : <RoleRefusal roles={roles} />;
  return createRoute({ getParentRoute: () => parent, id, component });
}

const administration = screensFor(signedIn, 'administration', ['owner']);
const managers = screensFor(account, 'managers', ['manager', 'owner']);

const ofAccount = screensOf(() => account);
const ofManager = screensOf(() => managers);
const ofOwner = screensOf(() => administration);

const accountScreens = [
  ofAccount('/', () => import('./overview/overview-screen')),
  ofAccount('/usage', () => import('./usage/usage-screen'), readUsagePeriod),
  ofAccount('/keys', () => import('./keys/keys-screen'), readKeysSearch),
  ofAccount('/network', () => import('./network/network-screen')),
  ofAccount('/access', () => import('./access/access-screen'), readSearchText),
  ofAccount('/catalogue', () => import('./catalogue/catalogue-screen'), readCatalogueSearch),
  ofAccount('/catalogue/$datasetId', () => import('./catalogue/dataset-screen'), readDatasetTab),
  ofAccount('/explorer', () => import('./explorer/explorer-screen'), readExplorerSearch),
  ofAccount('/option-chains', () => import('./option-chain/option-chain-screen'), readChainSearch),
] as const;

const administrationScreens = [
  ofOwner('/home', () => import('./administration/home-screen')),
  ofOwner('/alerts', () => import('./alerts/alerts')),
  ofOwner('/accounts', () => import('./administration/accounts-screen'), readSearchText),
  ofOwner('/accounts/$accountId', () => import('./administration/account-screen'), readAccountTab),
  ofOwner('/plans', () => import('./administration/plans-screen'), readSearchText),
  ofOwner('/plans/$planId', () => import('./administration/plan-screen')),
  ofOwner('/people', () => import('./administration/people-screen'), readSearchText),
  ofOwner('/access-requests', () => import('./administration/access-requests-screen')),
  ofOwner('/publications', () => import('./administration/publications-screen'), readSearchText),
  ofOwner(
    '/publications/history',
    () => import('./administration/history-screen'),
    readHistoryFilter,
  ),
  ofOwner('/publications/$publicationId', () => import('./administration/publication-screen')),
  ofOwner('/coverage', () => import('./heat-map/coverage-screen'), readCoverageRange),
  ofOwner('/usage-by-month', () => import('./administration/monthly-usage-screen'), readMonthRange),
  ofOwner('/audit-log', () => import('./administration/audit-log-screen'), readAuditFilter),
  ofOwner('/requests', () => import('./administration/requests-screen')),
] as const;

const profile = screensOf(() => signedIn)('/profile', () => import('./profile/profile-screen'));
const elsewhere = createRoute({ getParentRoute: () => signedIn, path: '$', component: NotFound });

export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    choosePassword,
    signedIn.addChildren([
      account.addChildren([
        ...accountScreens,
        managers.addChildren([ofManager('/team', () => import('./team/team-screen'))]),
      ]),
      administration.addChildren([...administrationScreens]),
      profile,
      elsewhere,
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

/** Begins to load the screen of the address before it is known who is signed in. */
export function loadScreen(): void {
  const [routes] = router.getMatchedRoutes(router.latestLocation.pathname);
  for (const { options } of routes) options.component?.preload?.()?.catch(() => undefined);
}
