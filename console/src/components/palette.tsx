import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { PaletteDocument, type PaletteQuery } from '../api/documents.js';
import { organizationId, signOut } from '../api/session.js';
import { usePanels } from '../api/use-query.js';
import { palette } from '../browser/shortcuts.js';
import { chooseTheme } from '../browser/theme.js';
import { useSettled } from '../browser/use-settled.js';
import { escaped } from '../format/pattern.js';
import { Icon, type IconName } from './icon.js';
import { useModal } from './use-modal.js';

/** A screen to open or a command to run. */
interface Entry {
  readonly kind: string;
  readonly icon: IconName;
  readonly title: string;
  readonly detail?: string | undefined;
  /** Address of the screen, or the function that runs the command. */
  readonly to: string | (() => void);
}

const close = () => {
  palette.value = undefined;
};

/** A dialog over the screen, which Escape and a click beside it close. */
const Over = ({ label, children }: { label: string; children: ComponentChildren }) => {
  return (
    <dialog
      ref={useModal()}
      class="palette"
      aria-label={label}
      onClose={close}
      onClick={(event) => {
        if (event.target === event.currentTarget) close();
      }}
    >
      {children}
    </dialog>
  );
};

/** Finds devices, applications, products, hooks, people, screens and commands by a part of their names. */
export function Finder() {
  const { route } = useLocation();
  const [text, setText] = useState('');
  const asked = useSettled(text);
  const [place, setPlace] = useState(0);
  const found = usePanels(
    PaletteDocument,
    asked === '' ? undefined : { organizationId: organizationId.value, q: escaped(asked) },
  );
  const entries = [
    ...commands().filter(({ title }) => includes(title, text)),
    ...(text.trim() === '' || found.data === undefined ? [] : entriesOf(found.data, text.trim())),
  ];
  const chosen = Math.min(place, entries.length - 1);
  const open = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    close();
    if (typeof entry.to === 'string') route(`/console${entry.to}`);
    else entry.to();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') setPlace(Math.min(entries.length - 1, chosen + 1));
    else if (event.key === 'ArrowUp') setPlace(Math.max(0, chosen - 1));
    else if (event.key === 'Enter') open(entries[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <Over label="Find">
      <div class="palette-field">
        <Icon name="search" />
        <input
          autoFocus
          role="combobox"
          aria-label="Find"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={entries.length > 0 ? `palette-${chosen}` : undefined}
          aria-autocomplete="list"
          autocomplete="off"
          placeholder="Device, application, product, hook, person or command"
          value={text}
          onInput={({ currentTarget }) => {
            setText(currentTarget.value);
            setPlace(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div id="palette-list" role="listbox" aria-label="Found" class="palette-list">
        {entries.map((entry, index) => (
          <div
            key={`${entry.kind} ${typeof entry.to === 'string' ? entry.to : entry.title}`}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === chosen}
            ref={(element) => {
              if (index === chosen) element?.scrollIntoView({ block: 'nearest' });
            }}
            onClick={() => open(entry)}
          >
            <Icon name={entry.icon} />
            <span class="cut">{entry.title}</span>
            <span class="quiet cut">{entry.detail}</span>
            <span class="quiet">{entry.kind}</span>
          </div>
        ))}
      </div>
      <p class="quiet palette-foot" role="status">
        {entries.length === 0
          ? found.loading && asked !== ''
            ? 'Looking…'
            : 'Nothing has this in its name.'
          : '↑ ↓ choose, Enter opens, Esc closes'}
      </p>
    </Over>
  );
}

const includes = (title: string, text: string) => title.toLowerCase().includes(text.trim().toLowerCase());

const commands = (): Entry[] => {
  const screen = (title: string, icon: IconName, to: string): Entry => ({ kind: 'Screen', title, icon, to });
  const command = (title: string, icon: IconName, to: Entry['to']): Entry => ({ kind: 'Command', title, icon, to });
  return [
    screen('Overview', 'overview', '/'),
    screen('Dashboards', 'dashboards', '/dashboards'),
    screen('Devices', 'devices', '/devices'),
    screen('Alerts', 'alerts', '/alerts'),
    screen('Alert rules', 'alerts', '/alerts/rules'),
    screen('Live', 'live', '/live'),
    screen('Explore', 'explore', '/explore'),
    screen('Applications', 'applications', '/applications'),
    screen('Products', 'products', '/products'),
    screen('Sites', 'sites', '/sites'),
    screen('Hooks', 'hooks', '/hooks'),
    screen('Jobs', 'jobs', '/jobs'),
    screen('People', 'people', '/people'),
    screen('Usage', 'usage', '/usage'),
    screen('Tokens', 'tokens', '/tokens'),
    screen('Network servers', 'network-servers', '/network-servers'),
    screen('Audit', 'other', '/audit'),
    command('Show silent devices', 'devices', '/devices?silent=day'),
    command('Show open alerts', 'alerts', '/alerts?state=open'),
    command('Write a query', 'explore', '/explore?by=query'),
    command('Use the light theme', 'other', () => chooseTheme('light')),
    command('Use the dark theme', 'other', () => chooseTheme('dark')),
    command('Show keyboard shortcuts', 'other', () => {
      palette.value = 'keys';
    }),
    command('Open the API reference', 'other', () => window.open('/ddp/v1/docs', '_blank', 'noreferrer')),
    command('Open GraphiQL', 'other', () => window.open('/graphql', '_blank', 'noreferrer')),
    command('Sign out', 'other', () => void signOut()),
  ];
};

const entriesOf = (data: PaletteQuery, text: string): Entry[] => [
  ...(data.devices?.items ?? []).map(
    ({ id, name, serial }): Entry => ({
      kind: 'Device',
      icon: 'devices',
      title: name ?? serial,
      detail: name === null ? undefined : serial,
      to: `/devices/${id}`,
    }),
  ),
  ...(data.applications?.items ?? []).map(
    ({ id, name }): Entry => ({ kind: 'Application', icon: 'applications', title: name, to: `/applications/${id}` }),
  ),
  ...(data.products?.items ?? []).map(
    ({ id, name, version }): Entry => ({
      kind: 'Product',
      icon: 'products',
      title: name,
      detail: version,
      to: `/products/${id}`,
    }),
  ),
  ...(data.hooked?.items ?? []).flatMap(({ id: applicationId, name, hooks }) =>
    (hooks?.items ?? [])
      .filter(({ url }) => includes(url, text))
      .map(
        ({ id, url }): Entry => ({
          kind: 'Hook',
          icon: 'hooks',
          title: url,
          detail: name,
          to: `/hooks/${applicationId}/${id}`,
        }),
      ),
  ),
  ...(data.organizationMembers?.items ?? []).map(
    ({ username, name }): Entry => ({
      kind: 'Person',
      icon: 'people',
      title: name ?? username,
      detail: username,
      to: `/people?q=${encodeURIComponent(username)}`,
    }),
  ),
];

const shortcuts = [
  ['Anywhere', 'Ctrl K', 'Find a device, hook, application, product, person or command'],
  ['Anywhere', '/', 'Go to the filter of the list'],
  ['Anywhere', '?', 'Show these shortcuts'],
  ['In a chart', '← →', 'Move the cursor; with Ctrl by ten'],
  ['In a chart', 'Shift ← →', 'Select a time range'],
  ['In a chart', 'Enter', 'Zoom into the selection, or pin the reading'],
  ['In a chart', 'Backspace', 'Return to the previous range'],
  ['In a chart', 'T', 'Show the numbers as a table'],
  ['In a query', 'Ctrl Enter', 'Run the query'],
  ['In a query', 'Ctrl Space', 'Complete a field or a clause'],
] as const;

/** The list of shortcuts. */
export const Shortcuts = () => (
  <Over label="Keyboard shortcuts">
    <h2>Keyboard shortcuts</h2>
    <table>
      <tbody>
        {shortcuts.map(([where, keys, what]) => (
          <tr key={keys}>
            <td class="quiet">{where}</td>
            <td class="nowrap">
              <kbd>{keys}</kbd>
            </td>
            <td>{what}</td>
          </tr>
        ))}
      </tbody>
    </table>
    <div class="actions end">
      <button type="button" autoFocus onClick={close}>
        Close
      </button>
    </div>
  </Over>
);
