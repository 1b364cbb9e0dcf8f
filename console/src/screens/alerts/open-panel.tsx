import { Empty } from '../../components/state.js';
import type { EpisodeLineFragment } from '../../documents.js';
import { ago, secondsOf } from '../../time.js';
import { counted } from './acknowledge.js';
import { Severity } from './words.js';

/** Open episodes in lines, the gravest first, with the way to all of them. */
export const OpenEpisodes = ({
  items,
  total,
  all,
  now,
  ofDevice = false,
}: {
  items: readonly EpisodeLineFragment[];
  /** How many there are; null where there are too many to count. */
  total: number | null;
  /** The address of the list of all. */
  all: string;
  now: number;
  /** Whether all are of the device of the screen, which need not be named then. */
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
            {ago(secondsOf(openedAt), now)}
            {acknowledgedAt !== null && ', acknowledged'}
          </span>
        </li>
      ))}
      {(total === null || total > items.length) && (
        <li>
          <a href={all}>All: {counted(total)}</a>
        </li>
      )}
    </ul>
  );
