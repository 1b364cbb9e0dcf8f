import { isOwner } from '../../api/session.js';
import { Copyable } from '../../components/copy.js';
import { LazyMap } from '../../components/map/lazy-map.js';
import { Section } from '../../components/page.js';
import { Empty } from '../../components/state.js';
import { TabList } from '../../components/tab-list.js';
import type { TokenLine } from '../../components/token.js';
import { postRecordCommand } from '../../format/curl.js';
import { OpenEpisodes } from '../alerts/open-panel.js';
import { Attributes } from '../attributes/attributes.js';
import { History } from '../audit/history.js';
import { Commands } from './commands.js';
import type { Device } from './device-type.js';
import { Records } from './records.js';
import { Tokens } from './tokens.js';

/** The tabs below the chart: records, commands, attributes, location, tokens, alerts and history. */
export const Parts = ({
  device,
  tokens,
  reload,
}: {
  device: Device;
  tokens: readonly TokenLine[] | undefined;
  reload: () => void;
}) => (
  <TabList
    label="Parts of the device"
    tabs={[
      { id: 'records', title: 'Records', show: () => <RecordsAndCall device={device} /> },
      { id: 'commands', title: 'Commands', show: () => <Commands deviceId={device.id} /> },
      {
        id: 'attributes',
        title: 'Attributes',
        show: () => <Attributes key={device.id} of={{ kind: 'device', id: device.id }} />,
      },
      { id: 'location', title: 'Location', show: () => <LocationSection device={device} /> },
      ...(tokens === undefined
        ? []
        : [
            {
              id: 'tokens',
              title: 'Tokens',
              count: tokens.length,
              show: () => (
                <Tokens deviceId={device.id} example={exampleOf(device.product)} tokens={tokens} reload={reload} />
              ),
            },
          ]),
      {
        id: 'alerts',
        title: 'Alerts',
        count: device.openEpisodes.totalCount,
        show: () => <Alerts device={device} />,
      },
      ...(isOwner.value ? [{ id: 'history', title: 'History', show: () => <History of={device.id} isOpen /> }] : []),
    ]}
  />
);

const RecordsAndCall = ({ device }: { device: Device }) => (
  <>
    <Records device={device} />
    <Section title="Post a record of it">
      <Copyable label="A call that posts a record" text={commandOf(device)} />
    </Section>
  </>
);

const LocationSection = ({ device: { id, name, serial, location } }: { device: Device }) => (
  <Section title="Where it is">
    {location === null ? (
      <Empty title="No location">
        <p>Edit the device to say where it is; a map then shows it, here and on the screens of its applications.</p>
      </Empty>
    ) : (
      <>
        <LazyMap label="Map" places={[{ id, name: name ?? serial, ...location }]} />
        <p class="quiet">
          Latitude {location.lat.toFixed(4)}, longitude {location.lon.toFixed(4)}
        </p>
      </>
    )}
  </Section>
);

const Alerts = ({ device }: { device: Device }) => (
  <Section title="Open alerts" actions={<a href={`/console/alerts?device=${device.id}`}>History</a>}>
    <OpenEpisodes
      items={device.openEpisodes.items}
      total={device.openEpisodes.totalCount}
      all={`/console/alerts?device=${device.id}&state=open`}
      now={Date.now() / 1000}
      ofDevice
    />
  </Section>
);

/** Returns a command that posts a record of the device. The user fills in the token. */
const commandOf = ({ id, product }: Device): string => postRecordCommand(id, exampleOf(product));

/** Returns example data: a value of the product's first variable, in its type. */
const exampleOf = (product: Device['product']): Record<string, unknown> => {
  const [variable] = product?.variables ?? [];
  if (variable === undefined) return { temperature: 21.5 };
  return { [variable.name]: variable.type === 'BOOL' ? true : variable.type === 'TXT' ? 'ok' : 21 };
};
