import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { account } from '../api/session.js';
import { openPalette } from '../browser/shortcuts.js';
import { AccountMenu } from './account-menu.js';
import { Icon, isIcon } from './icon.js';

/** A screen of the navigation. */
export interface NavigationScreen {
  readonly path: string;
  /** Name in the navigation. A screen of a single object has none and is not listed there. */
  readonly title?: string;
  /** Badge beside the name. */
  readonly badge?: () => JSX.Element | null;
}

/** Names of the groups, with the paths of their screens. A screen without a group belongs to the last one. */
const groups: readonly (readonly [string, readonly string[]])[] = [
  ['Observe', ['/', '/dashboards', '/devices', '/alerts', '/live', '/explore']],
  ['Manage', ['/applications', '/products', '/sites', '/hooks', '/jobs']],
  ['Organization', []],
];

const grouped = new Set(groups.flatMap(([, paths]) => paths));

/** The navigation: the screens by group, the search, and who is signed in. A narrow screen has a menu button. */
export const Navigation = ({ base, screens }: { base: string; screens: readonly NavigationScreen[] }) => {
  const { path, url } = useLocation();
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setOpen(false), [url]);
  const listed = screens.filter(({ title }) => title !== undefined);
  return (
    <header
      class={isOpen ? 'side open' : 'side'}
      onKeyDown={({ key }) => {
        if (key === 'Escape') setOpen(false);
      }}
    >
      <div class="side-top">
        <button
          type="button"
          class="menu"
          aria-label="Menu"
          aria-expanded={isOpen}
          onClick={() => setOpen((now) => !now)}
        >
          <Icon name="menu" />
        </button>
        <a class="brand" href={`${base}/`}>
          <span class="mark">
            <Icon name="mark" />
          </span>
          <span class="cut">{account.value?.name ?? account.value?.username ?? 'Device Data Platform'}</span>
        </a>
        <button type="button" class="find" aria-keyshortcuts="Control+K" onClick={openPalette}>
          <Icon name="search" />
          <span class="find-words">Find</span>
          <kbd>Ctrl K</kbd>
        </button>
      </div>
      <div class="side-rest">
        <nav aria-label="Screens">
          {groups.map(([name, paths]) => (
            <div key={name} role="group" aria-label={name}>
              <p class="group">{name}</p>
              <ul>
                {listed
                  .filter((screen) => (paths.length === 0 ? !grouped.has(screen.path) : paths.includes(screen.path)))
                  .toSorted((a, b) => paths.indexOf(a.path) - paths.indexOf(b.path))
                  .map((screen) => (
                    <li key={screen.path}>
                      <a
                        href={base + screen.path}
                        aria-current={isWithin(path, base + screen.path) ? 'page' : undefined}
                      >
                        <Icon name={iconOf(screen.path)} />
                        <span>{screen.title}</span>
                        {screen.badge && account.value && <screen.badge />}
                      </a>
                    </li>
                  ))}
              </ul>
            </div>
          ))}
        </nav>
        <AccountMenu />
      </div>
    </header>
  );
};

const iconOf = (path: string) => {
  const name = path === '/' ? 'overview' : path.slice(1);
  return isIcon(name) ? name : 'other';
};

/**
 * Whether a path belongs to a screen or to an object below it. The overview's path is a prefix of every path, so it
 * must match exactly.
 */
const isWithin = (path: string, screen: string) =>
  screen.endsWith('/') ? path === screen || `${path}/` === screen : `${path}/`.startsWith(`${screen}/`);
