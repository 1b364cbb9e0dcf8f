import { useMemo } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { CreateSiteDocument, SitesDocument, type SitesQuery } from '../../api/documents.js';
import { ask } from '../../api/graph.js';
import { mayOwn, organizationId } from '../../api/session.js';
import { useQuery } from '../../api/use-query.js';
import { useAddress } from '../../browser/address.js';
import { Action } from '../../components/action.js';
import { useListView } from '../../components/list-view.js';
import { NameFilter } from '../../components/name-filter.js';
import { Page } from '../../components/page.js';
import { Empty, Loading } from '../../components/state.js';
import { type Column, Table } from '../../components/table.js';
import { type FormSite, SiteFields, siteOf } from './site-fields.js';
import { inTreeOrder } from './tree.js';

type Site = NonNullable<SitesQuery['sites']>['items'][number];

interface Row extends Site {
  /** Level in the tree that is shown, from 0. */
  readonly level: number;
}

/** Maximum number of sites that are shown at once. */
const limit = 500;

const columns: readonly Column<Row>[] = [
  {
    title: 'Site',
    cell: ({ id, name, level }) => (
      <a class="indented" style={{ '--level': level }} href={`/console/sites/${id}`}>
        {name}
      </a>
    ),
  },
  { title: 'Kind', cell: ({ kind }) => kind },
  { title: 'Devices', number: true, cell: ({ devices }) => devices.totalCount?.toLocaleString() },
];

/** Adds a site, at first below `parent`, and opens its screen. */
export function AddSite({ label = 'Add a site', parent = null }: { label?: string; parent?: FormSite['parent'] }) {
  const { route } = useLocation();
  return (
    <Action
      label={label}
      action="Add"
      primary={parent === null}
      submit={async (form) => {
        const { createSite } = await ask(CreateSiteDocument, { organizationId: organizationId.value, ...siteOf(form) });
        route(`/console/sites/${createSite.id}`);
      }}
    >
      <SiteFields parent={parent} />
    </Action>
  );
}

/** The tree of the sites that the caller may read. */
export function SitesScreen() {
  const address = useAddress();
  const view = useListView('sites', columns);
  const q = address.get('q');
  const sites = useQuery(SitesDocument, { organizationId: organizationId.value, limit, q: q || null });
  return (
    <Page title="Sites" actions={mayOwn.value && <AddSite />}>
      <div class="filters">
        <NameFilter address={address} of="Name or kind" />
        {view.menus}
      </div>
      <Loading of={sites} rows={20}>
        {({ sites: { items, totalCount } }) => (
          <>
            {items.length > 0 ? (
              <Tree of={items} columns={view.columns} busy={sites.loading} />
            ) : q === '' ? (
              <Empty title="No site">
                <p>
                  A site is a building, a floor or a room. {mayOwn.value ? 'Add a site' : 'Owners add sites'}, and move
                  devices there: then their values are seen together.
                </p>
              </Empty>
            ) : (
              <Empty title="No site matches">
                <p>Change the filter.</p>
              </Empty>
            )}
            {(totalCount ?? 0) > limit && (
              <p class="quiet">
                The oldest {limit} of {totalCount?.toLocaleString()} are shown. Filter them, or open a site to see what
                is in it.
              </p>
            )}
          </>
        )}
      </Loading>
    </Page>
  );
}

/** A table of sites, indented by their level. */
export const Tree = ({
  of,
  columns: shown = columns,
  label = 'Sites',
  busy = false,
}: {
  of: readonly Site[];
  columns?: readonly Column<Row>[];
  label?: string;
  busy?: boolean;
}) => {
  const address = useAddress();
  const rows = useMemo(() => inTreeOrder(of).map(({ site, level }): Row => ({ ...site, level })), [of]);
  return <Table label={label} columns={shown} rows={rows} address={address} busy={busy} />;
};
