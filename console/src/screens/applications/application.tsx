import { useRoute } from 'preact-iso';
import { ApplicationDocument, type ApplicationQuery } from '../../api/documents.js';
import { mayOwn, organizationId } from '../../api/session.js';
import { usePanels } from '../../api/use-query.js';
import { useAddress } from '../../browser/address.js';
import { Badge } from '../../components/badge.js';
import { CopyText } from '../../components/copy.js';
import { ExportButton } from '../../components/export-button.js';
import { LazyMap } from '../../components/map/lazy-map.js';
import { Facts, Page, Section } from '../../components/page.js';
import { Empty, Failure, headingWithout, Loading } from '../../components/state.js';
import { type Column, Pager, Table } from '../../components/table.js';
import { formatTime, secondsOf } from '../../format/time.js';
import { accessOf } from '../../format/value.js';
import { RuleState, Severity } from '../alerts/alert-labels.js';
import { History } from '../audit/history.js';
import { WhoMaySee } from './access-table.js';
import { DeleteApplication, EditApplication, LinkDevice, Unlink } from './application-actions.js';

type Application = NonNullable<ApplicationQuery['application']>;
type Device = Application['devices']['items'][number];

const limit = 25;

/** The screen of one application: its devices, its hooks, and its readers. */
export function ApplicationScreen() {
  const { params } = useRoute();
  const address = useAddress();
  const application = usePanels(ApplicationDocument, {
    organizationId: organizationId.value,
    applicationId: params['applicationId'] ?? '',
    limit,
    page: Number(address.get('page')) || 1,
    sort: address.get('sort') || null,
  });
  const found = application.data?.application;
  const refusal = application.refusals.get('application');
  return (
    <Page
      title={found?.name ?? headingWithout({ error: refusal }, 'Application')}
      actions={
        found && (
          <>
            <a class="button" href={`/console/dashboards/${found.id}`}>
              Dashboard
            </a>
            <a class="button" href={`/console/explore?application=${found.id}`}>
              Explore
            </a>
            {mayOwn.value && <EditApplication application={found} reload={application.reload} />}
          </>
        )
      }
    >
      <Loading of={application} rows={20}>
        {({ application: shown }) =>
          shown === null && refusal !== undefined && refusal.code !== 'NOT_FOUND' ? (
            <Failure error={refusal} retry={application.reload} />
          ) : shown === null ? (
            <Empty title="There is no such application">
              <p>
                It was deleted, or you may not see it. Go to the{' '}
                <a href="/console/applications">applications that you see</a>.
              </p>
            </Empty>
          ) : (
            <>
              <Facts
                of={[
                  ['Description', shown.description && <span class="sentence">{shown.description}</span>],
                  ['Your access', accessOf(shown.permission)],
                  ['Identifier', <CopyText text={shown.id} what="the identifier" />],
                  ['Created', formatTime(secondsOf(shown.createdAt))],
                ]}
              />
              <Devices of={shown} reload={application.reload} busy={application.loading} />
              <DeviceMap of={shown} />
              <Rules of={shown} />
              <Hooks of={shown} />
              <History of={shown.id} />
              <WhoMaySee grants={shown.grants} of={application} />
              {mayOwn.value && <DeleteApplication application={shown} />}
            </>
          )
        }
      </Loading>
    </Page>
  );
}

const columnsOf = (application: Application, reload: () => void): readonly Column<Device>[] => [
  {
    title: 'Device',
    sort: 'name',
    cell: ({ id, name, serial }) => <a href={`/console/devices/${id}`}>{name ?? serial}</a>,
  },
  { title: 'Serial', sort: 'serial', cell: ({ serial }) => <code>{serial}</code> },
  { title: 'Product', cell: ({ product }) => product?.name },
  ...(mayOwn.value
    ? [
        {
          title: 'Link',
          cell: (device: Device) => <Unlink application={application} device={device} reload={reload} />,
        },
      ]
    : []),
];

const Devices = ({ of, reload, busy }: { of: Application; reload: () => void; busy: boolean }) => {
  const address = useAddress();
  return (
    <Section
      title="Devices"
      actions={
        <>
          {of.devices.items.length > 0 && (
            <ExportButton label="Download CSV" applicationId={of.id} parameters={{ of: 'devices' }} />
          )}
          {mayOwn.value && <LinkDevice application={of} reload={reload} />}
        </>
      }
    >
      {of.devices.items.length === 0 ? (
        <Empty title="No device is linked">
          <p>Link devices: from then on their records are searched, charted and sent here.</p>
        </Empty>
      ) : (
        <Table label="Devices" columns={columnsOf(of, reload)} rows={of.devices.items} address={address} busy={busy} />
      )}
      <Pager address={address} limit={limit} total={of.devices.totalCount} />
    </Section>
  );
};

/** A map of the application's devices that have a location, at most 500 of them. */
const DeviceMap = ({ of: { placed } }: { of: Application }) => {
  const places = placed.items.flatMap(({ id, name, serial, location }) =>
    location === null ? [] : [{ id, name: name ?? serial, href: `/console/devices/${id}`, ...location }],
  );
  if (places.length === 0) return null;
  return (
    <Section title="Where they are">
      <LazyMap label="Map" places={places} />
    </Section>
  );
};

/** The rules that watch the application's devices, and the number of open episodes. */
const Rules = ({ of }: { of: Application }) => (
  <Section
    title="Alert rules"
    actions={
      <>
        <a href={`/console/alerts?application=${of.id}&state=open`}>{of.openEpisodeCount.toLocaleString()} open</a>
        <a href={`/console/alerts/rules?application=${of.id}`}>Show all</a>
      </>
    }
  >
    {of.alertRules.items.length === 0 ? (
      <Empty title="No rule">
        <p>
          A <a href={`/console/alerts/rules?application=${of.id}`}>rule</a> opens an alert when a device needs
          attention.
        </p>
      </Empty>
    ) : (
      <ul class="lines">
        {of.alertRules.items.map((rule) => (
          <li key={rule.id}>
            <Severity of={rule.severity} /> <a href={`/console/alerts/rules/${of.id}/${rule.id}`}>{rule.name}</a>{' '}
            {rule.disabled && <RuleState of={rule} />}
          </li>
        ))}
      </ul>
    )}
  </Section>
);

const Hooks = ({ of }: { of: Application }) => (
  <Section title="Hooks" actions={<a href={`/console/hooks?application=${of.id}`}>Show all</a>}>
    {of.hooks === null ? (
      <Empty title="Not shown">
        <p>Hooks are shown to those who may change the application.</p>
      </Empty>
    ) : of.hooks.items.length === 0 ? (
      <Empty title="No hook">
        <p>
          A hook sends its records to an address of yours:{' '}
          <a href={`/console/hooks?application=${of.id}`}>create one</a>.
        </p>
      </Empty>
    ) : (
      <ul class="lines">
        {of.hooks.items.map(({ id, url, disabled }) => (
          <li key={id}>
            <a href={`/console/hooks/${of.id}/${id}`}>{url}</a> {disabled && <Badge tone="bad">switched off</Badge>}
          </li>
        ))}
      </ul>
    )}
  </Section>
);
