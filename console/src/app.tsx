import { useEffect } from 'preact/hooks';
import { ErrorBoundary, LocationProvider, Route, Router } from 'preact-iso';
import { SessionDocument, ViewerNameDocument } from './api/documents.js';
import { account, isOwner, isWall, mayWrite, mqtt, person, token, viewerId, viewerName } from './api/session.js';
import { useQuery } from './api/use-query.js';
import { showFullTexts } from './browser/full-text.js';
import { type LazyScreen, loadScreen } from './browser/load-screen.js';
import { listenForShortcuts } from './browser/shortcuts.js';
import { LazyPalette } from './components/lazy-palette.js';
import { Navigation, type NavigationScreen } from './components/navigation.js';
import { Page } from './components/page.js';
import { Empty, Loading } from './components/state.js';
import { Toasts } from './components/toasts.js';
import { OpenBadge } from './screens/alerts/badge.js';

/** Base path of the console. */
const base = '/console';

/** Screens in the order of the navigation. Screens that need large libraries are loaded when they are opened. */
const screens: readonly Screen[] = [
  {
    path: '/',
    title: 'Overview',
    component: loadScreen(async () => (await import('./screens/overview/overview.js')).OverviewScreen),
  },
  {
    path: '/devices',
    title: 'Devices',
    component: loadScreen(async () => (await import('./screens/devices/devices.js')).DevicesScreen),
  },
  {
    path: '/devices/:deviceId',
    component: loadScreen(async () => (await import('./screens/device/device.js')).DeviceScreen),
  },
  {
    path: '/alerts',
    title: 'Alerts',
    badge: OpenBadge,
    component: loadScreen(async () => (await import('./screens/alerts/alerts.js')).AlertsScreen),
  },
  {
    path: '/alerts/rules',
    component: loadScreen(async () => (await import('./screens/alerts/rules.js')).RulesScreen),
  },
  {
    path: '/alerts/rules/:applicationId/:alertRuleId',
    component: loadScreen(async () => (await import('./screens/alerts/rule.js')).RuleScreen),
  },
  {
    path: '/dashboards',
    title: 'Dashboards',
    component: loadScreen(async () => (await import('./screens/dashboard/dashboards.js')).DashboardsScreen),
  },
  {
    path: '/dashboards/:applicationId',
    component: loadScreen(async () => (await import('./screens/dashboard/dashboard.js')).DashboardScreen),
  },
  {
    path: '/live',
    title: 'Live',
    component: loadScreen(async () => (await import('./screens/live/live.js')).LiveScreen),
  },
  {
    path: '/explore',
    title: 'Explore',
    component: loadScreen(async () => (await import('./screens/explore/explore.js')).ExploreScreen),
  },
  {
    path: '/products',
    title: 'Products',
    component: loadScreen(async () => (await import('./screens/products/products.js')).ProductsScreen),
  },
  {
    path: '/products/:productId',
    component: loadScreen(async () => (await import('./screens/products/product.js')).ProductScreen),
  },
  {
    path: '/hooks',
    title: 'Hooks',
    component: loadScreen(async () => (await import('./screens/hooks/hooks.js')).HooksScreen),
  },
  {
    path: '/hooks/:applicationId/:hookId',
    component: loadScreen(async () => (await import('./screens/hooks/hook.js')).HookScreen),
  },
  {
    path: '/hooks/:applicationId/:hookId/:deliveryId',
    component: loadScreen(async () => (await import('./screens/hooks/delivery.js')).DeliveryScreen),
  },
  {
    path: '/applications',
    title: 'Applications',
    component: loadScreen(async () => (await import('./screens/applications/applications.js')).ApplicationsScreen),
  },
  {
    path: '/applications/:applicationId',
    component: loadScreen(async () => (await import('./screens/applications/application.js')).ApplicationScreen),
  },
  {
    path: '/sites',
    title: 'Sites',
    component: loadScreen(async () => (await import('./screens/sites/sites.js')).SitesScreen),
  },
  {
    path: '/sites/:siteId',
    component: loadScreen(async () => (await import('./screens/sites/site.js')).SiteScreen),
  },
  {
    path: '/people',
    title: 'People',
    component: loadScreen(async () => (await import('./screens/people/people.js')).PeopleScreen),
  },
  {
    path: '/network-servers',
    title: 'Network servers',
    component: loadScreen(async () => (await import('./screens/network-servers.js')).NetworkServersScreen),
  },
  {
    path: '/audit',
    title: 'Audit',
    component: loadScreen(async () => (await import('./screens/audit/audit.js')).AuditScreen),
  },
  {
    path: '/jobs',
    title: 'Jobs',
    component: loadScreen(async () => (await import('./screens/jobs/jobs.js')).JobsScreen),
  },
  {
    path: '/usage',
    title: 'Usage',
    component: loadScreen(async () => (await import('./screens/usage/usage.js')).UsageScreen),
  },
  { path: '/sessions', component: loadScreen(async () => (await import('./screens/sessions.js')).SessionsScreen) },
  {
    path: '/tokens',
    title: 'Tokens',
    component: loadScreen(async () => (await import('./screens/tokens.js')).TokensScreen),
  },
];

interface Screen extends NavigationScreen {
  readonly component: LazyScreen;
}

const partsOf = (path: string) => path.split('/').filter((part) => part !== '');

/** Loads the screen of the address in parallel with the request for the signed-in person. */
export function preloadScreen(): void {
  const parts = partsOf(location.pathname.slice(base.length));
  const screen = screens.find(({ path }) => {
    const names = partsOf(path);
    return names.length === parts.length && names.every((name, place) => name[0] === ':' || name === parts[place]);
  });
  // A failure is reported when the screen is shown.
  screen?.component.preload().catch(() => undefined);
}

/** The console: the sign-in or, with a token, the screens. */
export const App = () => {
  if (isWall)
    return (
      <ErrorBoundary>
        <Wall />
      </ErrorBoundary>
    );
  const who = token.value ?? person.value?.organizationId;
  if (who != null) return <Console key={who} />;
  return person.value === undefined ? (
    <div class="shell">
      <div class="side" />
      <Boot />
    </div>
  ) : (
    <>
      <ErrorBoundary>
        <SignIn />
      </ErrorBoundary>
      <Toasts />
    </>
  );
};

/** A placeholder until the first screen is loaded, the same as in the page that loads the script. */
const Boot = () => (
  <div class="boot" role="status" aria-label="Loading">
    <span class="placeholder" />
  </div>
);

const Wall = loadScreen(async () => (await import('./screens/dashboard/wall.js')).Wall);
const SignIn = loadScreen(async () => (await import('./screens/sign-in.js')).SignIn);

const Console = () => {
  const session = useQuery(SessionDocument, {});
  useEffect(() => {
    if (session.data === undefined) return;
    const { viewer } = session.data;
    isOwner.value = viewer.role === 'owner';
    mayWrite.value = viewer.scope === 'full';
    mqtt.value = viewer.mqtt;
    viewerId.value = viewer.userId ?? session.data.account.id;
    account.value = session.data.account;
  }, [session.data]);
  const userId = session.data?.viewer.userId;
  const user = useQuery(ViewerNameDocument, userId == null ? undefined : { id: userId }).data?.node;
  const organization = session.data?.account;
  viewerName.value =
    user !== undefined && 'username' in user
      ? (user.name ?? user.username)
      : (organization?.name ?? organization?.username ?? 'Account');
  useEffect(listenForShortcuts, []);
  useEffect(showFullTexts, []);
  return (
    <LocationProvider scope={base}>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <div class="shell">
        <Navigation base={base} screens={screens} />
        <Boot />
        <Loading of={session}>
          {() =>
            account.value && (
              <ErrorBoundary>
                <Router>
                  {screens.map(({ path, component }) => (
                    <Route key={path} path={base + path} component={component} />
                  ))}
                  <Route default component={NotFound} />
                </Router>
              </ErrorBoundary>
            )
          }
        </Loading>
      </div>
      <LazyPalette />
      <Toasts />
    </LocationProvider>
  );
};

const NotFound = () => (
  <Page title="Not found">
    <Empty title="There is no such screen">
      <p>
        The address may be misspelt, or what it names was deleted. Go to the <a href={`${base}/`}>overview</a>, or press
        Ctrl+K to find something.
      </p>
    </Empty>
  </Page>
);
