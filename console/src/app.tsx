import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { ErrorBoundary, LocationProvider, lazy, Route, Router, useLocation } from 'preact-iso';
import { Failure, Loading } from './components/state.js';
import { SessionDocument } from './documents.js';
import { OpenBadge } from './screens/alerts/badge.js';
import { account, isOwner, mayWrite, person, token } from './session.js';
import './theme.js';
import { useQuery } from './use-query.js';

/** Base path of the console. */
const base = '/console';

/** Screens in the order of the navigation. Screens that need large libraries are loaded when they are opened. */
const screens: readonly Screen[] = [
  {
    path: '/',
    title: 'Overview',
    component: lazy(async () => (await import('./screens/overview/overview.js')).OverviewScreen),
  },
  {
    path: '/devices',
    title: 'Devices',
    component: lazy(async () => (await import('./screens/devices/devices.js')).DevicesScreen),
  },
  {
    path: '/devices/:deviceId',
    component: lazy(async () => (await import('./screens/device/device.js')).DeviceScreen),
  },
  {
    path: '/alerts',
    title: 'Alerts',
    badge: OpenBadge,
    component: lazy(async () => (await import('./screens/alerts/alerts.js')).AlertsScreen),
  },
  {
    path: '/alerts/rules',
    component: lazy(async () => (await import('./screens/alerts/rules.js')).RulesScreen),
  },
  {
    path: '/alerts/rules/:applicationId/:alertRuleId',
    component: lazy(async () => (await import('./screens/alerts/rule.js')).RuleScreen),
  },
  {
    path: '/live',
    title: 'Live',
    component: lazy(async () => (await import('./screens/live/live.js')).LiveScreen),
  },
  {
    path: '/explore',
    title: 'Explore',
    component: lazy(async () => (await import('./screens/explore/explore.js')).ExploreScreen),
  },
  {
    path: '/products',
    title: 'Products',
    component: lazy(async () => (await import('./screens/products/products.js')).ProductsScreen),
  },
  {
    path: '/products/:productId',
    component: lazy(async () => (await import('./screens/products/product.js')).ProductScreen),
  },
  {
    path: '/hooks',
    title: 'Hooks',
    component: lazy(async () => (await import('./screens/hooks/hooks.js')).HooksScreen),
  },
  {
    path: '/hooks/:applicationId/:hookId',
    component: lazy(async () => (await import('./screens/hooks/hook.js')).HookScreen),
  },
  {
    path: '/hooks/:applicationId/:hookId/:deliveryId',
    component: lazy(async () => (await import('./screens/hooks/delivery.js')).DeliveryScreen),
  },
  {
    path: '/applications',
    title: 'Applications',
    component: lazy(async () => (await import('./screens/applications/applications.js')).ApplicationsScreen),
  },
  {
    path: '/applications/:applicationId',
    component: lazy(async () => (await import('./screens/applications/application.js')).ApplicationScreen),
  },
  {
    path: '/people',
    title: 'People',
    component: lazy(async () => (await import('./screens/people/people.js')).PeopleScreen),
  },
  {
    path: '/audit',
    title: 'Audit',
    component: lazy(async () => (await import('./screens/audit/audit.js')).AuditScreen),
  },
  { path: '/jobs', title: 'Jobs', component: lazy(async () => (await import('./screens/jobs/jobs.js')).JobsScreen) },
  {
    path: '/usage',
    title: 'Usage',
    component: lazy(async () => (await import('./screens/usage/usage.js')).UsageScreen),
  },
  { path: '/sessions', component: lazy(async () => (await import('./screens/sessions.js')).SessionsScreen) },
  { path: '/tokens', title: 'Tokens', component: lazy(async () => (await import('./screens/tokens.js')).TokensScreen) },
];

interface Screen {
  readonly path: string;
  /** Name in the navigation. A screen of a single object has none and is not listed there. */
  readonly title?: string;
  /** Badge beside the name. */
  readonly badge?: () => JSX.Element | null;
  readonly component: () => JSX.Element;
}

/** The console: the sign-in or, with a token, the screens. */
export const App = () => {
  const who = token.value ?? person.value?.organizationId;
  if (who != null) return <Console key={who} />;
  return <ErrorBoundary>{person.value !== undefined && <SignIn />}</ErrorBoundary>;
};

const SignIn = lazy(async () => (await import('./screens/sign-in.js')).SignIn);
const SideFoot = lazy(async () => (await import('./components/side-foot.js')).SideFoot);

const Console = () => {
  const session = useQuery(SessionDocument, {});
  useEffect(() => {
    if (session.data === undefined) return;
    const { viewer } = session.data;
    isOwner.value = viewer.role === 'owner';
    mayWrite.value = viewer.scope === 'full';
    account.value = session.data.account;
  }, [session.data]);
  return (
    <LocationProvider scope={base}>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <div class="shell">
        <Navigation />
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
    </LocationProvider>
  );
};

/**
 * Whether a path belongs to a screen or to an object below it. The overview's path is a prefix of every path, so it
 * must match exactly.
 */
const isWithin = (path: string, screen: string) =>
  screen.endsWith('/') ? path === screen || `${path}/` === screen : `${path}/`.startsWith(`${screen}/`);

const NotFound = () => (
  <main id="main">
    <Failure error={{ message: 'There is no such screen.' }} />
  </main>
);

const Navigation = () => {
  const { path } = useLocation();
  return (
    <nav class="side" aria-label="Screens">
      <p class="brand">{account.value?.name ?? account.value?.username ?? 'Device Data Platform'}</p>
      <ul>
        {screens
          .filter(({ title }) => title !== undefined)
          .map((screen) => (
            <li key={screen.path}>
              <a href={base + screen.path} aria-current={isWithin(path, base + screen.path) ? 'page' : undefined}>
                {screen.title}
                {screen.badge && account.value && <screen.badge />}
              </a>
            </li>
          ))}
      </ul>
      <ErrorBoundary>
        <SideFoot />
      </ErrorBoundary>
    </nav>
  );
};
