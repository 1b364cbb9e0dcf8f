import { Fragment } from 'preact';
import { useMemo } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { DeviceDocument, type DeviceQuery } from '../../api/documents.js';
import { isOwner, mayOwn, organizationId } from '../../api/session.js';
import { useQuery } from '../../api/use-query.js';
import { useAddress } from '../../browser/address.js';
import { useRange } from '../../browser/use-range.js';
import { Ago } from '../../components/ago.js';
import type { Band } from '../../components/bands.js';
import { Charts } from '../../components/chart.js';
import { Choices } from '../../components/choices.js';
import { CopyText } from '../../components/copy.js';
import { Facts, Page, Section } from '../../components/page.js';
import { RangePicker } from '../../components/range-picker.js';
import { Empty, headingWithout, Loading } from '../../components/state.js';
import { Tile } from '../../components/tile.js';
import { lookAfter, said, wordFor } from '../../format/look.js';
import { formatTime, lengthOf, secondsOf } from '../../format/time.js';
import { Severity } from '../alerts/alert-labels.js';
import { AddPanel, type Chart } from '../dashboard/add-panel.js';
import { DeleteDevice, EditDevice } from './device-actions.js';
import type { Device } from './device-type.js';
import { Parts } from './parts.js';

type Episode = NonNullable<DeviceQuery['account']>['episodes']['items'][number];

/** Maximum number of variables that are drawn at once, which is the service's default when none is chosen. */
const mostLines = 6;

/** The screen of one device: its chart, its newest values and records, and how to post to it. */
export function DeviceScreen() {
  const { params } = useRoute();
  const address = useAddress();
  const { from, to } = useRange(address);
  const chosen = address.all('variable').slice(0, mostLines);
  const device = useQuery(DeviceDocument, {
    organizationId: organizationId.value,
    deviceId: params['deviceId'] ?? '',
    variables: chosen.length === 0 ? null : chosen,
    from,
    to,
    owns: isOwner.value,
  });
  const title = device.data?.device?.name ?? device.data?.device?.serial ?? headingWithout(device, 'Device');
  return (
    <Page
      title={title}
      actions={
        device.data !== undefined &&
        mayOwn.value && (
          <EditDevice device={device.data.device} products={device.data.products.items} reload={device.reload} />
        )
      }
    >
      <Loading of={device} rows={16}>
        {({ device: found, deviceTokens, account }) => (
          <>
            <AlertBanner device={found} />
            <DeviceFacts device={found} />
            <NewestValues device={found} />
            <DeviceChart device={found} from={from} to={to} episodes={account.episodes.items} reload={device.reload} />
            <Parts device={found} tokens={deviceTokens?.items} reload={device.reload} />
            {mayOwn.value && <DeleteDevice device={found} />}
          </>
        )}
      </Loading>
    </Page>
  );
}

interface ShownProps {
  readonly device: Device;
  readonly from: number;
  readonly to: number;
  /** Episodes of the device that were opened before the end of the range, the newest first. */
  readonly episodes: readonly Episode[];
  readonly reload: () => void;
}

const DeviceFacts = ({ device }: { device: Device }) => (
  <Facts
    of={[
      ['Serial', <CopyText text={device.serial} what="the serial number" />],
      ['Product', device.product && `${device.product.name} ${device.product.version}`],
      [
        'Tags',
        device.tags.map((tag) => (
          <span key={tag} class="tag">
            {tag}
          </span>
        )),
      ],
      [
        'Applications',
        device.applications.items.map(({ id, name }) => (
          <Fragment key={id}>
            <a href={`/console/applications/${id}`}>{name}</a>{' '}
          </Fragment>
        )),
      ],
      ['Last heard', device.lastRecordAt === null ? 'never' : <Ago at={secondsOf(device.lastRecordAt)} />],
      ['Clock', device.clockAhead === null ? null : `${lengthOf(device.clockAhead)} ahead`],
      ['Identifier', <CopyText text={device.id} what="the identifier" />],
      ['Registered', formatTime(secondsOf(device.createdAt))],
    ]}
  />
);

/** Says that alerts of the device are open, with the most severe of them. */
const AlertBanner = ({ device }: { device: Device }) => {
  const { items, totalCount } = device.openEpisodes;
  const [worst] = items;
  if (worst === undefined) return null;
  return (
    <div class={`banner ${worst.severity === 'critical' ? 'bad' : 'warn'}`} role="status" aria-label="Open alerts">
      <strong>
        <Severity of={worst.severity} /> {worst.name}
      </strong>
      <span>
        opened <Ago at={secondsOf(worst.openedAt)} />
        {(totalCount ?? items.length) > 1 && `, and ${((totalCount ?? items.length) - 1).toLocaleString()} more`}
      </span>
    </div>
  );
};

/** Shows the newest value of each variable large, with its course over the range of the chart. */
const NewestValues = ({ device }: { device: Device }) =>
  device.latest.length === 0 ? (
    <Section title="Newest values">
      <Empty title="No record yet">
        <p>Post one: the call is below, under Records.</p>
      </Empty>
    </Section>
  ) : (
    <section aria-label="Newest values" class="tiles">
      {device.latest.map(({ name, value, unit, ts, ahead }) => {
        const line = device.series.find((one) => one.name === name);
        const look = device.product?.variables.find((variable) => variable.name === name) ?? { unit };
        const word = wordFor(value, look);
        return (
          <Tile
            key={name}
            name={name}
            note={<Heard ts={ts} ahead={ahead} />}
            trend={line === undefined || line.type === 'BOOL' ? [] : trendOf(line.values)}
          >
            {word ?? said(value, { ...look, unit: null }, 4)}
            {word === undefined && unit && <span class="unit"> {unit}</span>}
          </Tile>
        );
      })}
    </section>
  );

/** Shows how long ago a value was measured; if its time was ahead, how long ago it arrived, and how far it was ahead. */
const Heard = ({ ts, ahead }: { ts: number; ahead: number | null }) =>
  ahead === null ? (
    <Ago at={ts} />
  ) : (
    <>
      <Ago at={ts - ahead} />, {lengthOf(ahead)} ahead
    </>
  );

/** Returns values relative to the smallest, so that a small change shows. */
const trendOf = (values: readonly number[]): number[] => {
  const low = Math.min(...values);
  return values.map((value) => value - low);
};

function DeviceChart({ device, from, to, episodes, reload }: ShownProps) {
  const address = useAddress();
  const bands = useMemo(() => episodes.map(bandOf), [episodes]);
  const chosen = address.all('variable');
  const lines = useMemo(() => {
    const looks = new Map(device.product?.variables.map((look) => [look.name, look]));
    return device.series.map((line) => ({ ...line, ...lookAfter('avg', looks.get(line.name)) }));
  }, [device.series, device.product]);
  const numeric = device.product?.variables.filter(({ type }) => type !== 'TXT').map(({ name }) => name) ?? [];
  return (
    <Section
      title="Chart"
      actions={
        <>
          <RangePicker address={address} follows />
          <AddPanel
            applicationIds={device.applications.items.map(({ id }) => id)}
            chart={chartOf(device)}
            device={{ id: device.id, linked: reload }}
          />
        </>
      }
    >
      {numeric.length > 1 && (
        <div class="filters">
          <Choices
            label="Variables"
            none={numeric.length > mostLines ? `the first ${mostLines}` : 'all'}
            options={numeric.map((name) => ({ value: name, title: name }))}
            chosen={chosen}
            choose={(variable) => address.set({ variable })}
          />
          {chosen.length > mostLines && <span class="quiet">The first {mostLines} are drawn.</span>}
        </div>
      )}
      {device.series.length === 0 ? (
        <Empty title="Nothing to draw">
          <p>Give the device a product with numeric variables.</p>
        </Empty>
      ) : (
        <Charts
          label={`Values of ${device.name ?? device.serial}`}
          lines={lines}
          from={from}
          to={to}
          bands={bands}
          zooms
        />
      )}
    </Section>
  );
}

/** Returns the lines of the chart as a panel of a dashboard. */
const chartOf = ({ id, name, serial, series }: Device): Chart => ({
  title: (name ?? serial).slice(0, 200),
  draw: 'line',
  sources: [...new Set(series.map((line) => line.name))].map((variable) => ({
    devices: [id],
    variable: `data.${variable}`,
  })),
});

const bandOf = ({ openedAt, closedAt, severity, name }: Episode): Band => ({
  from: secondsOf(openedAt),
  to: closedAt === null ? null : secondsOf(closedAt),
  severity,
  name,
});
