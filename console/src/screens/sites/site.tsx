import { useRoute } from 'preact-iso';
import { SiteDocument, type SiteQuery } from '../../api/documents.js';
import { mayOwn, organizationId } from '../../api/session.js';
import { useQuery } from '../../api/use-query.js';
import { useAddress } from '../../browser/address.js';
import { Ago } from '../../components/ago.js';
import { CopyText } from '../../components/copy.js';
import { Facts, Page, Section } from '../../components/page.js';
import { Empty, headingWithout, Loading } from '../../components/state.js';
import { type Column, Pager, Table } from '../../components/table.js';
import { secondsOf } from '../../format/time.js';
import { Attributes } from '../attributes/attributes.js';
import { DeleteSite, EditSite, MoveDevicesHere } from './site-actions.js';
import { SiteChart } from './site-chart.js';
import { AddSite, Tree } from './sites.js';

type Site = NonNullable<SiteQuery['site']>;
type Device = Site['devices']['items'][number];

const limit = 25;

/** The screen of one site: what is in it, and the values of its devices together. */
export function SiteScreen() {
  const { params } = useRoute();
  const address = useAddress();
  const site = useQuery(SiteDocument, {
    organizationId: organizationId.value,
    siteId: params['siteId'] ?? '',
    limit,
    page: Number(address.get('page')) || 1,
    sort: address.get('sort') || null,
  });
  const found = site.data?.site;
  return (
    <Page
      title={found?.name ?? headingWithout(site, 'Site')}
      above={found === undefined ? [] : sitesAbove(found)}
      actions={found !== undefined && mayOwn.value && <EditSite key={found.id} site={found} reload={site.reload} />}
    >
      <Loading of={site} rows={20}>
        {({ site: shown, products }) => (
          <>
            <Facts
              of={[
                ['Kind', shown.kind],
                ['Time zone', shown.timeZone],
                ['External key', shown.externalId],
                ['Identifier', <CopyText text={shown.id} what="the identifier" />],
              ]}
            />
            {shown.devices.totalCount !== 0 && <SiteChart key={shown.id} site={shown} products={products.items} />}
            <SitesIn of={shown} />
            <Devices of={shown} reload={site.reload} busy={site.loading} />
            <Attributes key={`attributes ${shown.id}`} of={{ kind: 'site', id: shown.id }} />
            {mayOwn.value && <DeleteSite site={shown} />}
          </>
        )}
      </Loading>
    </Page>
  );
}

interface Above {
  readonly id: string;
  readonly name: string;
  readonly parent?: Above | null;
}

/** Returns the sites above one, from the top. */
const sitesAbove = ({ parent }: Pick<Above, 'parent'>): { href: string; title: string }[] =>
  parent == null ? [] : [...sitesAbove(parent), { href: `/console/sites/${parent.id}`, title: parent.name }];

const SitesIn = ({ of }: { of: Site }) => {
  const { items, totalCount } = of.children;
  return (
    <Section title="Sites in it" actions={mayOwn.value && <AddSite label="Add a site here" parent={of} />}>
      {items.length === 0 ? (
        <Empty title="No site">
          <p>It is not divided further.</p>
        </Empty>
      ) : (
        <Tree label="Sites in it" of={items} />
      )}
      {(totalCount ?? 0) > items.length && (
        <p class="quiet">
          {items.length} of {totalCount?.toLocaleString()} are shown.
        </p>
      )}
    </Section>
  );
};

const columnsOf = (site: Site): readonly Column<Device>[] => [
  {
    title: 'Device',
    sort: 'name',
    cell: ({ id, name, serial }) => <a href={`/console/devices/${id}`}>{name ?? serial}</a>,
  },
  { title: 'Serial', sort: 'serial', cell: ({ serial }) => <code>{serial}</code> },
  {
    title: 'At',
    cell: ({ site: at }) =>
      at === null ? null : at.id === site.id ? at.name : <a href={`/console/sites/${at.id}`}>{at.name}</a>,
  },
  {
    title: 'Last record',
    sort: 'lastRecordAt',
    cell: ({ lastRecordAt }) => (lastRecordAt === null ? 'never' : <Ago at={secondsOf(lastRecordAt)} />),
  },
];

/** The devices of the site and of all below it. */
const Devices = ({ of, reload, busy }: { of: Site; reload: () => void; busy: boolean }) => {
  const address = useAddress();
  const { items, totalCount } = of.devices;
  return (
    <Section title="Devices" actions={mayOwn.value && <MoveDevicesHere site={of} reload={reload} />}>
      {items.length === 0 ? (
        <Empty title="No device">
          <p>
            {mayOwn.value ? 'Move devices here' : 'Owners move devices here'}: from then on their records count for this
            site.
          </p>
        </Empty>
      ) : (
        <Table label="Devices" columns={columnsOf(of)} rows={items} address={address} busy={busy} />
      )}
      <Pager address={address} limit={limit} total={totalCount} />
    </Section>
  );
};
