import type { AlertsQuery, EpisodeLineFragment } from '../../api/documents.js';
import { Ago } from '../../components/ago.js';
import type { Column } from '../../components/table.js';
import { formatTime, secondsOf } from '../../format/time.js';
import { shown } from '../../format/value.js';
import { reasons, Severity } from './alert-labels.js';

/** An episode of the list. */
export type Line = NonNullable<AlertsQuery['account']>['episodes']['items'][number];

interface Names {
  /** Returns the name of an application by its identifier. */
  readonly applicationOf: (id: string) => string;
  /** Returns the name of an account by its identifier. */
  readonly personOf: (id: string) => string;
  /** Acknowledges one episode; undefined when the token may not change anything. */
  readonly acknowledge: ((line: Line) => void) | undefined;
}

/** Returns the columns of the list of episodes. */
export const columnsOf = ({ applicationOf, personOf, acknowledge }: Names): readonly Column<Line>[] => [
  {
    title: 'Alert',
    cell: ({ name, alertRule, applicationId }) => (
      <>
        {alertRule === null ? name : <a href={`/console/alerts/rules/${applicationId}/${alertRule.id}`}>{name}</a>}
        <span class="below quiet">{applicationOf(applicationId)}</span>
      </>
    ),
  },
  { title: 'Severity', cell: ({ severity }) => <Severity of={severity} /> },
  { title: 'Device', cell: (line) => <DeviceLink of={line} /> },
  {
    title: 'Opened',
    cell: ({ openedAt, openedBy, openedState }) => (
      <>
        <span class="nowrap">{formatTime(secondsOf(openedAt))}</span>
        {openedBy !== null && <Cause of={openedBy} />}
        {openedState !== null && <Unsettled of={openedState} />}
        {openedBy === null && openedState === null && <span class="below quiet">nothing arrived</span>}
      </>
    ),
  },
  {
    title: 'Closed',
    cell: ({ openedAt, closedAt, closedBy, closedReason }) =>
      closedAt === null ? (
        <>
          <strong>open</strong>{' '}
          <span class="below quiet">
            opened <Ago at={secondsOf(openedAt)} />
          </span>
        </>
      ) : (
        <>
          <span class="nowrap">{formatTime(secondsOf(closedAt))}</span>
          {closedReason !== null && <span class="below quiet">{reasons[closedReason]}</span>}
          {closedBy !== null && <Cause of={closedBy} />}
        </>
      ),
  },
  {
    title: 'Acknowledged',
    cell: (line) =>
      line.acknowledgedAt === null ? (
        acknowledge && (
          <button type="button" onClick={() => acknowledge(line)}>
            Acknowledge
          </button>
        )
      ) : (
        <>
          {personOf(line.acknowledgedBy ?? '')}
          <span class="below quiet">{formatTime(secondsOf(line.acknowledgedAt))}</span>
        </>
      ),
  },
];

/** Links to the chart of the device at the time of the episode, if the caller can read the device. */
const DeviceLink = ({ of: { device, openedAt, closedAt } }: { of: EpisodeLineFragment }) => {
  if (device === null) return <span class="quiet">deleted, or not visible to you</span>;
  const [opened, closed] = [secondsOf(openedAt), closedAt === null ? Date.now() / 1000 : secondsOf(closedAt)];
  const margin = Math.max(1800, (closed - opened) / 4);
  const range = `${Math.floor(opened - margin)}..${Math.ceil(closed + margin)}`;
  return (
    <>
      <a href={`/console/devices/${device.id}?range=${range}`}>{device.name ?? device.serial}</a>
      <span class="below">
        <a class="quiet" href={`/console/alerts?device=${device.id}`}>
          History
        </a>
      </span>
    </>
  );
};

/** Shows what the device had not reported when the episode opened. */
const Unsettled = ({ of }: { of: NonNullable<EpisodeLineFragment['openedState']> }) => (
  <span class="below">
    {of.map(({ name, desired, desiredAt }) => (
      <span class="pair" key={name} title={`Desired since ${formatTime(secondsOf(desiredAt))}`}>
        <span class="quiet">{name} is not</span> {shown(desired)}
      </span>
    ))}
  </span>
);

/** Shows the values of the record that opened or closed an episode, and its identifier on demand. */
const Cause = ({ of: { recordId, ts, values } }: { of: NonNullable<EpisodeLineFragment['openedBy']> }) => (
  <details class="cause">
    <summary>
      {Object.keys(values).length === 0
        ? 'record'
        : Object.entries(values).map(([name, value]) => (
            <span class="pair" key={name}>
              <span class="quiet">{name}</span> {shown(value)}
            </span>
          ))}
    </summary>
    <span class="quiet">
      Record <code>{recordId}</code>, measured {formatTime(ts)}
    </span>
  </details>
);
