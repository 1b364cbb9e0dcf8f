import { useMemo, useState } from 'preact/hooks';
import {
  type AlertKind,
  type AlertSeverity,
  type PreviewAlertRuleQuery,
  PreviewChartDocument,
  type PreviewStop,
} from '../../api/documents.js';
import { organizationId } from '../../api/session.js';
import { type Loaded, useQuery } from '../../api/use-query.js';
import { Badge } from '../../components/badge.js';
import { Charts } from '../../components/chart.js';
import { Section } from '../../components/page.js';
import { Empty, Loading } from '../../components/state.js';
import { duration, formatTime, secondsOf, zone } from '../../format/time.js';
import { counted } from '../../format/value.js';
import { type Decision, variablesIn } from './draft.js';
import type { RuleApplication } from './rule-types.js';

type Previewed = NonNullable<PreviewAlertRuleQuery['previewAlertRule']>;

/**
 * Shows the episodes that the rule would have opened in the last week: in words, and as bands over the chart of a
 * device.
 */
export const Preview = ({
  application,
  decision,
  preview,
  severity,
  isChanged,
}: {
  application: RuleApplication;
  /** The decision that is previewed; undefined before the first preview. */
  decision: Decision | undefined;
  preview: Loaded<{ previewAlertRule: Previewed }>;
  severity: AlertSeverity;
  /** Whether the form was changed since the preview. */
  isChanged: boolean;
}) => (
  <Section title="Preview">
    {decision === undefined ? (
      <Empty title="What would it have done?">
        <p>“Preview” tries the rule on the stored records of the last week. It opens no alert.</p>
      </Empty>
    ) : (
      <Loading of={preview} rows={8}>
        {({ previewAlertRule }) => (
          <>
            <Summary of={previewAlertRule} isChanged={isChanged} kind={decision.kind} />
            <Picture of={previewAlertRule} decision={decision} severity={severity} application={application} />
          </>
        )}
      </Loading>
    )}
  </Section>
);

const stops: Readonly<Record<PreviewStop, string>> = {
  time: 'the preview ran out of time',
  query: 'a query of the rule takes too long',
  records: 'there are more than 200,000 records',
  devices: 'there are more than 1,000 devices',
  history: 'earlier desired states are not kept',
};

const times = (count: number) => (count === 1 ? 'once' : `${count.toLocaleString()} times`);

const Summary = ({ of, isChanged, kind }: { of: Previewed; isChanged: boolean; kind: AlertKind }) => (
  <div role="status">
    <p>
      {of.episodeCount === 0 ? (
        <strong>
          {of.isComplete ? 'It would not have opened in the last week.' : 'No episode in the part that was previewed.'}
        </strong>
      ) : (
        <>
          It would have opened{' '}
          <strong>
            {times(of.episodeCount)} on {counted(of.deviceCount, 'device')}
          </strong>{' '}
          in the last week.
        </>
      )}{' '}
      <span class="quiet">
        {kind === 'unsettled' ? 'The state' : counted(of.recordsRead, 'record')} of {counted(of.devicesRead, 'device')}{' '}
        was read.
        {of.episodes.length < of.episodeCount && ` The first ${of.episodes.length.toLocaleString()} are drawn.`}
      </span>
    </p>
    {kind === 'silence' && (
      <p class="quiet">Silence is counted from the arrival of records, and from when a device was linked.</p>
    )}
    {!of.isComplete && (
      <p>
        <Badge tone="warn">
          The preview is incomplete: {stops[of.incompleteReason ?? 'time']}. It may have opened more often.
        </Badge>
      </p>
    )}
    {isChanged && (
      <p>
        <Badge tone="quiet">The form has changed since this preview. Preview again.</Badge>
      </p>
    )}
  </div>
);

/** Draws the chart of one device with bands where an episode would have been open. */
function Picture({
  of,
  decision,
  severity,
  application,
}: {
  of: Previewed;
  decision: Decision;
  severity: AlertSeverity;
  application: RuleApplication;
}) {
  const [wanted, setWanted] = useState('');
  const byDevice = useMemo(() => Map.groupBy(of.episodes, ({ deviceId }) => deviceId), [of]);
  const devices = devicesOf(application, byDevice);
  const deviceId = devices.some(({ id }) => id === wanted) ? wanted : devices[0]?.id;
  const [from, to] = [Math.floor(secondsOf(of.from)), Math.ceil(secondsOf(of.to))];
  const variables = variablesIn(decision);
  const chart = useQuery(
    PreviewChartDocument,
    deviceId === undefined
      ? undefined
      : {
          organizationId: organizationId.value,
          deviceId,
          variables: variables.length === 0 ? null : variables.slice(0, 6),
          from,
          to,
        },
  );
  const bands = useMemo(
    () =>
      (byDevice.get(deviceId ?? '') ?? []).map(({ openedAt, closedAt }) => ({
        from: secondsOf(openedAt),
        to: closedAt === null ? null : secondsOf(closedAt),
        severity,
        name: 'the rule',
      })),
    [byDevice, deviceId, severity],
  );
  if (deviceId === undefined) return <Empty title="The application has no device that the rule would watch" />;
  return (
    <>
      <div class="filters">
        <select
          aria-label="Device of the preview"
          value={deviceId}
          onChange={({ currentTarget }) => setWanted(currentTarget.value)}
        >
          {devices.map(({ id, title, count }) => (
            <option key={id} value={id}>
              {title}
              {count > 0 ? ` (${times(count)})` : ''}
            </option>
          ))}
        </select>
      </div>
      <Loading of={chart} rows={8}>
        {({ device }) =>
          device.series.every(({ ts }) => ts.length === 0) ? (
            <Empty title="No value to draw in the last week" />
          ) : (
            <Charts
              label={`Preview on ${device.name ?? device.serial}`}
              lines={device.series}
              from={from}
              to={to}
              bands={bands}
            />
          )
        }
      </Loading>
      <Openings bands={bands} />
    </>
  );
}

/** Writes a duration in days, hours and minutes. Less than a minute counts as one. */
const roughDuration = (seconds: number): string => {
  const minutes = Math.max(1, Math.round(seconds / 60));
  const parts = [Math.floor(minutes / 1440) * 86_400, Math.floor((minutes % 1440) / 60) * 3600, (minutes % 60) * 60];
  return parts
    .filter((part) => part > 0)
    .map(duration)
    .join(' ');
};

/** Maximum number of episodes that are listed in words. */
const maxListed = 5;

const Openings = ({ bands }: { bands: readonly { from: number; to: number | null }[] }) =>
  bands.length === 0 ? (
    <p class="quiet">It would not have opened on this device.</p>
  ) : (
    <ul class="lines" aria-label="Openings on this device">
      {bands.slice(0, maxListed).map(({ from, to }) => (
        <li key={from}>
          {formatTime(from)} ({zone.value}){' '}
          <span class="quiet">{to === null ? 'and still open' : `for ${roughDuration(to - from)}`}</span>
        </li>
      ))}
      {bands.length > maxListed && <li class="quiet">and {(bands.length - maxListed).toLocaleString()} more</li>}
    </ul>
  );

/** Returns the devices to choose from; those on which the rule would have opened an episode come first. */
const devicesOf = ({ devices }: RuleApplication, byDevice: ReadonlyMap<string, readonly unknown[]>) => {
  const titles = new Map(devices.items.map(({ id, name, serial }) => [id, name ?? serial]));
  const ids = [...byDevice.keys(), ...devices.items.map(({ id }) => id).filter((id) => !byDevice.has(id))];
  return ids.map((id) => ({ id, title: titles.get(id) ?? id, count: byDevice.get(id)?.length ?? 0 }));
};
