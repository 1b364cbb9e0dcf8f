import { useMemo } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { useAddress } from '../address.js';
import { Charts } from '../components/chart.js';
import { Copyable } from '../components/copy.js';
import { Facts, Page, Section } from '../components/page.js';
import { RangePicker } from '../components/range-picker.js';
import { Empty, Loading } from '../components/state.js';
import { DeviceChartDocument, DeviceDocument, type DeviceQuery } from '../documents.js';
import { organizationId } from '../session.js';
import { ago, endsOf, moment, parseRange } from '../time.js';
import { useQuery } from '../use-query.js';
import { shown } from '../value.js';

type Device = NonNullable<DeviceQuery['device']>;

/** At most so many variables are drawn at once. */
const mostLines = 6;

/** One device: its chart, its newest values and records, and how to post to it. */
export function DeviceScreen() {
  const { params } = useRoute();
  const device = useQuery(DeviceDocument, {
    organizationId: organizationId.value,
    deviceId: params['deviceId'] ?? '',
  });
  const title = device.data?.device?.name ?? device.data?.device?.serial ?? 'Device';
  return (
    <Page title={title}>
      <Loading of={device} rows={16}>
        {({ device: found }) => <Shown device={found} />}
      </Loading>
    </Page>
  );
}

const Shown = ({ device }: { device: Device }) => (
  <>
    <Facts
      of={[
        ['Serial', <code>{device.serial}</code>],
        ['Product', device.product && `${device.product.name} ${device.product.version}`],
        ['Tags', device.tags.join(', ')],
        ['Applications', device.applications.items.map(({ name }) => name).join(', ')],
        ['Registered', moment(Date.parse(device.createdAt) / 1000)],
      ]}
    />
    <DeviceChart device={device} />
    <Section title="Newest values">
      {device.latest.length === 0 ? (
        <Empty title="No record yet">
          <Copyable label="A call that posts a record" text={curlOf(device)} />
        </Empty>
      ) : (
        <Facts
          of={device.latest.map(({ name, value, unit, ts }) => [
            name,
            <>
              {shown(value, unit)} <span class="quiet">{ago(ts)}</span>
            </>,
          ])}
        />
      )}
    </Section>
    <Section title="Records">
      <ol class="records">
        {device.records.items.map(({ id, ts, data }) => (
          <li key={id}>
            <time>{moment(ts)}</time> <code>{JSON.stringify(data)}</code>
          </li>
        ))}
      </ol>
    </Section>
  </>
);

function DeviceChart({ device }: { device: Device }) {
  const address = useAddress();
  const text = address.get('range');
  const { from, to } = useMemo(() => endsOf(parseRange(text)), [text]);
  const numeric = device.product?.variables.filter(({ type }) => type !== 'TXT').map(({ name }) => name) ?? [];
  const chosen = address.all('variable');
  const variables = (chosen.length > 0 ? chosen : numeric).slice(0, mostLines);
  const chart = useQuery(
    DeviceChartDocument,
    variables.length === 0
      ? undefined
      : { organizationId: organizationId.value, deviceIds: [device.id], variables, from, to },
  );
  return (
    <Section title="Chart" actions={<RangePicker address={address} />}>
      {variables.length === 0 ? (
        <Empty title="Nothing to draw">
          <p>Give the device a product with numeric variables.</p>
        </Empty>
      ) : (
        <Loading of={chart} rows={8}>
          {({ series }) => (
            <Charts label={`Values of ${device.name ?? device.serial}`} lines={series} from={from} to={to} />
          )}
        </Loading>
      )}
    </Section>
  );
}

/** A call that posts a record of the device; the token is the reader's to fill in. */
const curlOf = ({ serial }: Device): string => {
  const body = JSON.stringify({ serial, data: { temperature: 21.5 } });
  return [
    `curl -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\`,
    `  -d '${body}' \\`,
    `  ${location.origin}/ddp/v1/organizations/${organizationId.value}/records`,
  ].join('\n');
};
