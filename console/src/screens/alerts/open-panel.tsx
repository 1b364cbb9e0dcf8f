import type { EpisodeLineFragment } from '../../api/documents.js';
import { Ago } from '../../components/ago.js';
import { Empty } from '../../components/state.js';
import { secondsOf } from '../../format/time.js';
import { counted } from '../../format/value.js';
import { Severity } from './alert-labels.js';

/** Lists open episodes, the most severe first, with a link to all. */
export const OpenEpisodes = ({
  items,
  total,
  all,
  now,
  ofDevice = false,
}: {
  items: readonly EpisodeLineFragment[];
  /** Number of open episodes; null when there are too many to count. */
  total: number | null;
  /** Address of the list of all episodes. */
  all: string;
  now: number;
  /** Whether all episodes belong to the device of this screen, so that its name is left out. */
  ofDevice?: boolean;
}) =>
  items.length === 0 ? (
    <Empty title="No alert is open" />
  ) : (
    <ul class="lines">
      {items.map(({ id, name, severity, applicationId, alertRuleId, device, openedAt, acknowledgedAt }) => (
        <li key={id}>
          <span>
            <Severity of={severity} /> <a href={`/console/alerts/rules/${applicationId}/${alertRuleId}`}>{name}</a>
            {!ofDevice && device !== null && (
              <>
                <span class="quiet"> on </span>
                <a href={`/console/devices/${device.id}`}>{device.name ?? device.serial}</a>
              </>
            )}
          </span>{' '}
          <span class="quiet">
            <Ago at={secondsOf(openedAt)} now={now} />
            {acknowledgedAt !== null && ', acknowledged'}
          </span>
        </li>
      ))}
      {(total === null || total > items.length) && (
        <li>
          <a href={all}>All: {counted(total, 'episode')}</a>
        </li>
      )}
    </ul>
  );
