import {
  AcknowledgeDocument,
  type AlertSeverity,
  type EpisodeState,
  UnacknowledgedDocument,
} from '../../api/documents.js';
import { ask } from '../../api/graph.js';
import { organizationId } from '../../api/session.js';
import { Action } from '../../components/action.js';
import { counted } from '../../format/value.js';

/** Filters of the episodes, from the address of the page. */
export interface Matching {
  readonly applicationId: string | null;
  readonly severity: AlertSeverity | null;
  readonly state: EpisodeState | null;
  readonly alertRuleId: string | null;
  readonly deviceId: string | null;
}

interface EpisodeKey {
  readonly id: string;
  readonly applicationId: string;
}

/** Maximum number of identifiers per call. */
const atOnce = 100;

/** Acknowledges these episodes, with one call per application and per hundred episodes. */
export async function acknowledge(episodes: readonly EpisodeKey[]): Promise<void> {
  for (const [applicationId, some] of Map.groupBy(episodes, (episode) => episode.applicationId))
    for (let first = 0; first < some.length; first += atOnce) {
      const ids = some.slice(first, first + atOnce).map(({ id }) => id);
      await ask(AcknowledgeDocument, { organizationId: organizationId.value, applicationId, ids });
    }
}

/** Acknowledges all episodes that match, application by application, until none is left. */
async function acknowledgeAll(matching: Matching): Promise<void> {
  const states: readonly EpisodeState[] = matching.state === null ? ['open', 'closed'] : [matching.state];
  for (;;) {
    const [next] = (await ask(UnacknowledgedDocument, matching)).account.episodes.items;
    if (next === undefined) return;
    for (const state of states) {
      const variables = { organizationId: organizationId.value, ...matching, ...next, state };
      while ((await ask(AcknowledgeDocument, variables)).acknowledgeEpisodes.hasMore);
    }
  }
}

/** Acknowledges the chosen episodes, or all that match, after a dialog that shows their number. */
export const AcknowledgeActions = ({
  chosen,
  waiting,
  matching,
  done,
}: {
  chosen: readonly EpisodeKey[];
  /** Number of matching episodes that are not acknowledged; null when there are too many to count. */
  waiting: number | null;
  matching: Matching;
  done: () => void;
}) => (
  <>
    {chosen.length > 0 && (
      <Action
        label={`Acknowledge ${chosen.length.toLocaleString()} chosen`}
        title={`Acknowledge ${counted(chosen.length, 'episode')}`}
        action="Acknowledge"
        submit={async () => {
          await acknowledge(chosen);
          done();
        }}
      >
        <p>Your name and the time are stored. An episode stays open until its rule closes it.</p>
      </Action>
    )}
    {waiting !== 0 && (
      <Action
        label={`Acknowledge all ${waiting?.toLocaleString() ?? ''} that match`}
        title={`Acknowledge ${counted(waiting, 'episode')}`}
        action="Acknowledge"
        submit={async () => {
          await acknowledgeAll(matching);
          done();
        }}
      >
        <p>
          All episodes that match the filters and are not acknowledged yet, on every page. Your name and the time are
          stored.
        </p>
      </Action>
    )}
  </>
);
