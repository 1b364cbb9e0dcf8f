import type { HookFilterInput } from '../../api/documents.js';
import { isOwner } from '../../api/session.js';
import { textOf } from '../../browser/form.js';
import { Field } from '../../components/dialog.js';
import type { Hook } from './hook-type.js';

/** The form fields of a hook's settings. */
export const SettingsFields = ({ hook: { settings } }: { hook: Hook }) => (
  <>
    <div class="beside">
      <Field label="Concurrent calls">
        <input name="concurrency" type="number" min={1} max={64} required defaultValue={`${settings.concurrency}`} />
      </Field>
      <Field label="Calls per second" hint="No limit where it is empty.">
        <input
          name="maxPerSecond"
          type="number"
          min={0.01}
          max={1000}
          step="any"
          defaultValue={`${settings.maxPerSecond ?? ''}`}
        />
      </Field>
    </div>
    <label class="check">
      <input name="ordered" type="checkbox" defaultChecked={settings.ordered} /> In the order of storing, for each
      device
    </label>
    <Events chosen={settings.events} />
    <Field
      label="Filter"
      hint="JSON with products (identifiers), tags and query (as in searches). A record must meet all given conditions."
    >
      <textarea
        name="filter"
        rows={5}
        spellcheck={false}
        placeholder='{ "query": { "range": { "data.temperature": { "gt": 30 } } } }'
        defaultValue={settings.filter === null ? '' : JSON.stringify(settings.filter, undefined, 2)}
      />
    </Field>
  </>
);

/** Names of the event kinds that hooks can be called for. */
export const eventNames: Readonly<Record<string, string>> = {
  record: 'records',
  'alert.opened': 'alerts that open',
  'alert.closed': 'alerts that close',
  'device.registered': 'devices that are registered',
  'device.deleted': 'devices that are deleted',
  'hook.disabled': 'other hooks that are switched off',
  'command.updated': 'commands whose state changes',
  'state.diverged': 'desired values that devices have yet to reach',
};

/**
 * Chooses the events that call the hook. Device events concern the whole organization, so only owners may add them;
 * other users may keep or remove those already chosen.
 */
const Events = ({ chosen }: { chosen: readonly string[] }) => (
  <fieldset>
    <legend>Called for</legend>
    {Object.entries(eventNames)
      .filter(([kind]) => isOwner.value || !kind.startsWith('device.') || chosen.includes(kind))
      .map(([kind, name]) => (
        <label class="check" key={kind}>
          <input type="checkbox" name="events" value={kind} defaultChecked={chosen.includes(kind)} /> {name}{' '}
          <code class="quiet">{kind}</code>
        </label>
      ))}
    {!isOwner.value && <span class="quiet hint">Events of devices are chosen by owners of the organization.</span>}
  </fieldset>
);

/**
 * Reads the form.
 * @throws SyntaxError when the filter is not JSON.
 */
export const settingsOf = (form: FormData) => ({
  concurrency: Number(textOf(form, 'concurrency')),
  maxPerSecond: textOf(form, 'maxPerSecond') === '' ? null : Number(textOf(form, 'maxPerSecond')),
  ordered: form.get('ordered') !== null,
  events: form.getAll('events').map(String),
  filter: filterOf(textOf(form, 'filter')),
});

const filterOf = (text: string): HookFilterInput | null => {
  if (text === '') return null;
  const { products, tags, query } = JSON.parse(text) as HookFilterInput;
  return { products: products ?? null, tags: tags ?? null, query: query ?? null };
};
