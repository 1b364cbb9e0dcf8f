import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso';

/** A link of the path to an object. */
interface Crumb {
  readonly href: string;
  readonly title: string;
}

/** A screen with its title (also that of the tab), its actions and its content. */
export function Page({
  title,
  actions,
  above = [],
  children,
}: {
  title: string;
  actions?: ComponentChildren;
  /** Objects between the list and the object that the screen shows. */
  above?: readonly Crumb[];
  children: ComponentChildren;
}) {
  const { path } = useLocation();
  useEffect(() => {
    document.title = `${title} · Device Data Platform`;
  }, [title]);
  useEffect(() => takeFocus(path), [path]);
  return (
    <main id="main" tabIndex={-1}>
      <Crumbs above={above} />
      <header class="page-head">
        <h1>{title}</h1>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </header>
      {children}
    </main>
  );
}

/** Path of the screen that was shown last. */
let shownPath: string | undefined;

/**
 * Moves the focus to the content of a screen after navigation, and when the focused element is gone. Otherwise the next
 * Tab would go to the start of the document, or on in the navigation.
 */
const takeFocus = (path: string): void => {
  const isGone = document.activeElement === document.body;
  if (shownPath !== undefined && (path !== shownPath || isGone))
    document.getElementById('main')?.focus({ preventScroll: true });
  shownPath = path;
};

const lists: Readonly<Record<string, string>> = {
  alerts: 'Alerts',
  applications: 'Applications',
  dashboards: 'Dashboards',
  devices: 'Devices',
  hooks: 'Hooks',
  products: 'Products',
  sites: 'Sites',
};

/** The path from the list to the object that the screen shows. Lists have none. */
const Crumbs = ({ above }: { above: readonly Crumb[] }) => {
  const { path } = useLocation();
  const [list = '', first, second, third] = path.split('/').slice(2);
  const title = lists[list];
  if (title === undefined || first === undefined || first === '' || (first === 'rules' && second === undefined))
    return null;
  return (
    <nav class="crumbs" aria-label="Breadcrumb">
      <a href={`/console/${list}`}>{title}</a>
      {first === 'rules' && <a href="/console/alerts/rules">Rules</a>}
      {list === 'hooks' && third !== undefined && <a href={`/console/hooks/${first}/${second}`}>Hook</a>}
      {above.map((crumb) => (
        <a key={crumb.href} href={crumb.href}>
          {crumb.title}
        </a>
      ))}
    </nav>
  );
};

/** A section of a screen with a heading of its own. */
export const Section = ({
  title,
  actions,
  children,
}: {
  title: string;
  actions?: ComponentChildren;
  children: ComponentChildren;
}) => (
  <section aria-label={title}>
    <header class="section-head">
      <h2>{title}</h2>
      {actions !== undefined && <div class="actions">{actions}</div>}
    </header>
    {children}
  </section>
);

/** A list of names and values. Entries without a value are left out. */
export const Facts = ({ of }: { of: readonly (readonly [string, ComponentChildren])[] }) => (
  <dl class="facts">
    {of
      .filter(([, value]) => value !== undefined && value !== null && value !== '' && value !== false)
      .filter(([, value]) => !Array.isArray(value) || value.length > 0)
      .map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{typeof value === 'string' ? <span class="name">{value}</span> : value}</dd>
        </div>
      ))}
  </dl>
);
