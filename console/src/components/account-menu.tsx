import { useState } from 'preact/hooks';
import { ErrorBoundary, lazy } from 'preact-iso';
import { account, isOwner, mayWrite, signOut, token, viewerName } from '../api/session.js';
import { openPalette } from '../browser/shortcuts.js';
import { chooseTheme, theme } from '../browser/theme.js';
import { chooseZone, zone } from '../format/time.js';
import { closeByEscape } from './choices.js';

/** The account menu: the caller's name, theme, time zone, links to the documentation, and *Sign out*. */
export const AccountMenu = () => {
  const [isOpen, setOpen] = useState(false);
  const name = viewerName.value;
  return (
    <details
      class="account"
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      onKeyDown={closeByEscape}
    >
      <summary>
        <span class="visually-hidden">Account:</span>
        <span class="avatar" aria-hidden="true">
          {name.slice(0, 1).toUpperCase()}
        </span>
        <span class="who">
          <span class="cut">{name}</span>
          <span class="quiet">
            {isOwner.value ? 'Owner' : 'Member'}, {mayWrite.value ? 'can edit' : 'can read'}
          </span>
        </span>
      </summary>
      <div class="account-panel">
        {isOpen && account.value !== undefined && (
          <>
            {token.value === undefined && (
              <ErrorBoundary>
                <PersonBox />
              </ErrorBoundary>
            )}
            <label class="field">
              <span>Theme</span>
              <select value={theme.value} onChange={({ currentTarget: { value } }) => chooseTheme(value)}>
                <option value="">Same as the system</option>
                <option value="light">Light</option>
                <option value="dark">Dark</option>
              </select>
            </label>
            <label class="field">
              <span>Time zone</span>
              <select value={zone.value} onChange={({ currentTarget: { value } }) => chooseZone(value)}>
                {zones().map((one) => (
                  <option key={one} value={one}>
                    {one}
                  </option>
                ))}
              </select>
            </label>
            <ul>
              <li>
                <a href="/ddp/v1/docs" target="_blank" rel="noreferrer">
                  API reference
                </a>
              </li>
              <li>
                <a href="/graphql" target="_blank" rel="noreferrer">
                  GraphiQL
                </a>
              </li>
              <li>
                <button type="button" class="plain" onClick={() => openPalette('keys')}>
                  Keyboard shortcuts
                </button>
              </li>
            </ul>
          </>
        )}
        <button type="button" onClick={() => void signOut()}>
          Sign out
        </button>
      </div>
    </details>
  );
};

const PersonBox = lazy(() =>
  import('./person-box.js').then(
    ({ PersonBox }) => PersonBox,
    () => () => <p class="quiet">Your name could not be loaded. Reload the page.</p>,
  ),
);

const zones = (): string[] => [...new Set([zone.value, 'UTC', ...Intl.supportedValuesOf('timeZone')])];
