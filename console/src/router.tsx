/** Every screen and its address below `/console`, with who may open it. */
import { type FetchQueryOptions, QueryClientProvider } from '@tanstack/react-query';
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
import {
  readAccountTab,
  readAuditFilter,
  readHistoryFilter,
  readMonthRange,
} from './administration/searches';
import {
  catalogueEntriesQuery,
  firstStepsQuery,
  ownCatalogueQuery,
  queryClient,
  queryShapeQuery,
  quotasQuery,
  sessionQuery,
} from './api/queries';
import { loadPart } from './api/server-back';
import { readCatalogueSearch, readDatasetTab } from './catalogue/catalogue-search';
import { readExplorerSearch } from './explorer/explorer-search';
import { readCoverageRange } from './heat-map/coverage-range';
import { AppLayout } from './layout/app-layout';
import { knownSearch, readKeysSearch, readSearchText } from './layout/known-search';
import { NotFound, RoleRefusal, ScreenFailure } from './layout/server-away';
import { readChainSearch } from './option-chain/chain-search';
import { SCREENS, type Screen, type ScreenPath } from './screens';
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

/** A query of the interface. */
type Asked = Pick<FetchQueryOptions, 'queryKey'>;

/**
 * Makes the routes of screens below another one. A screen is loaded when it is first opened; `read`
 * says what it knows of the search of its address, `asks` what it asks for at once: the answers are
 * on their way while the screen is made.
 */
function screensOf<Parent extends AnyRoute>(getParentRoute: () => Parent) {
  return <const Path extends ScreenPath, Search extends object = Readonly<Record<never, never>>>(
    path: Path,
    read: (search: Readonly<Record<string, unknown>>) => Search = () => ({}) as Search,
    asks: (search: Search) => readonly Asked[] = () => [],
  ) =>
    createRoute({
      getParentRoute,
      path,
      validateSearch: knownSearch(read),
      loader: ({ cause, location }) => {
        if (cause === 'stay') return;
        for (const query of asks(read(location.search))) void queryClient.prefetchQuery(query);
      },
      component: lazyRouteComponent(() => loadPart<Screen>(SCREENS[path])),
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
const choosePassword = screensOf(() => root)('/choose-password');

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
  ofAccount('/', undefined, () => [firstStepsQuery, ownCatalogueQuery, quotasQuery]),
  ofAccount('/usage', readUsagePeriod),
  ofAccount('/keys', readKeysSearch),
  ofAccount('/network'),
  ofAccount('/access', readSearchText),
  ofAccount('/catalogue', readCatalogueSearch, () => [catalogueEntriesQuery]),
  ofAccount('/catalogue/$datasetId', readDatasetTab),
  ofAccount('/explorer', readExplorerSearch, ({ dataset }) =>
    dataset ? [ownCatalogueQuery, queryShapeQuery(dataset)] : [ownCatalogueQuery],
  ),
  ofAccount('/option-chains', readChainSearch),
] as const;

const administrationScreens = [
  ofOwner('/home'),
  ofOwner('/alerts'),
  ofOwner('/accounts', readSearchText),
  ofOwner('/accounts/$accountId', readAccountTab),
  ofOwner('/plans', readSearchText),
  ofOwner('/plans/$planId'),
  ofOwner('/people', readSearchText),
  ofOwner('/access-requests'),
  ofOwner('/publications', readSearchText),
  ofOwner('/publications/history', readHistoryFilter),
  ofOwner('/publications/$publicationId'),
  ofOwner('/coverage', readCoverageRange),
  ofOwner('/usage-by-month', readMonthRange),
  ofOwner('/audit-log', readAuditFilter),
  ofOwner('/requests'),
] as const;

const profile = screensOf(() => signedIn)('/profile');
const elsewhere = createRoute({ getParentRoute: () => signedIn, path: '$', component: NotFound });

export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    choosePassword,
    signedIn.addChildren([
      account.addChildren([...accountScreens, managers.addChildren([ofManager('/team')])]),
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
