import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';
import { useAddress } from '../browser/address.js';
import { textOf } from '../browser/form.js';
import { useKept } from '../browser/kept.js';
import { toast } from '../browser/toast.js';
import { Action } from './action.js';
import { closeByEscape } from './choices.js';
import { Field } from './dialog.js';
import type { Column } from './table.js';

/** Filters, order and columns of a list under a name. */
interface View {
  readonly name: string;
  /** The parameters of the address. */
  readonly search: string;
  readonly hidden: readonly string[];
}

/** A list whose columns can be chosen. */
export interface ListView<Row> {
  readonly columns: readonly Column<Row>[];
  /** Menus of the saved views and of the columns. */
  readonly menus: JSX.Element;
}

/**
 * Lets people choose the columns of a list and save views of it: its filters, order and columns. The first column
 * always shows. Both are kept in this browser.
 * @param list name of the list.
 */
export function useListView<Row>(list: string, columns: readonly Column<Row>[]): ListView<Row> {
  const [hidden, hide] = useKept<readonly string[]>(`columns.${list}`, []);
  return {
    columns: columns.filter(({ title }, index) => index === 0 || !hidden.includes(title)),
    menus: (
      <>
        <Views list={list} hidden={hidden} hide={hide} />
        <Columns titles={columns.slice(1).map(({ title }) => title)} hidden={hidden} hide={hide} />
      </>
    ),
  };
}

interface Hiding {
  hidden: readonly string[];
  hide: (titles: readonly string[]) => void;
}

const Columns = ({ titles, hidden, hide }: Hiding & { titles: readonly string[] }) => (
  <details class="choices end" onKeyDown={closeByEscape}>
    <summary>Columns</summary>
    <fieldset>
      <legend class="visually-hidden">Columns</legend>
      {titles.map((title) => (
        <label class="check" key={title}>
          <input
            type="checkbox"
            checked={!hidden.includes(title)}
            onChange={({ currentTarget: { checked } }) =>
              hide(checked ? hidden.filter((one) => one !== title) : [...hidden, title])
            }
          />
          {title}
        </label>
      ))}
    </fieldset>
  </details>
);

function Views({ list, hidden, hide }: Hiding & { list: string }) {
  const { path, route } = useLocation();
  const address = useAddress();
  const [views, keep] = useKept<readonly View[]>(`views.${list}`, []);
  const save = async (form: FormData) => {
    const name = textOf(form, 'name');
    const search = address.link({ page: undefined }).split('?')[1] ?? '';
    keep([...views.filter((view) => view.name !== name), { name, search, hidden }]);
  };
  return (
    <details class="choices end" onKeyDown={closeByEscape}>
      <summary>Views</summary>
      <fieldset>
        <legend class="visually-hidden">Saved views</legend>
        {views.length === 0 && <p class="quiet">A view keeps the filters, the order and the columns of this list.</p>}
        {views.map((view) => (
          <div class="view" key={view.name}>
            <button
              type="button"
              class="plain cut"
              onClick={() => {
                hide(view.hidden);
                route(view.search === '' ? path : `${path}?${view.search}`);
              }}
            >
              {view.name}
            </button>
            <button
              type="button"
              class="plain"
              aria-label={`Delete the view ${view.name}`}
              onClick={() => {
                keep(views.filter((one) => one !== view));
                toast(`The view ${view.name} was deleted.`, async () => keep(views));
              }}
            >
              ×
            </button>
          </div>
        ))}
        <Action label="Save this view" title="Save this view" action="Save" done="The view was saved." submit={save}>
          <Field label="Name" hint="It is kept in this browser, for you and this organization.">
            <input name="name" required maxLength={60} autocomplete="off" />
          </Field>
        </Action>
      </fieldset>
    </details>
  );
}
