import type { AuditLineFragment } from '../../api/documents.js';
import { Badge } from '../../components/badge.js';
import type { Column } from '../../components/table.js';
import { formatTime, secondsOf } from '../../format/time.js';
import { Difference } from './difference.js';
import { wordsOf } from './words.js';

/** An event, as the screens show it. */
type Line = AuditLineFragment;

/** The columns of the list of events. */
export const columns: readonly Column<Line>[] = [
  {
    title: 'When',
    cell: ({ at, requestId }) => (
      <>
        <span class="nowrap">{formatTime(secondsOf(at))}</span>
        {requestId !== null && (
          <details class="cause">
            <summary>Request</summary>
            <code>{requestId}</code>
          </details>
        )}
      </>
    ),
  },
  { title: 'Who', cell: (line) => <Who of={line} /> },
  {
    title: 'What',
    cell: ({ action, outcome }) => (
      <>
        {wordsOf(action)}
        {outcome === 'refused' && (
          <span class="below">
            <Badge tone="warn">refused</Badge>
          </span>
        )}
      </>
    ),
  },
  { title: 'Thing', cell: (line) => <Thing of={line} /> },
  { title: 'Changes', cell: ({ changes }) => <Difference of={changes} /> },
];

/** The columns of an object's history, without the object itself. */
export const historyColumns = columns.filter(({ title }) => title !== 'Thing');

const Who = ({ of: { actor, address } }: { of: Line }) => {
  const name = actor.userName ?? actor.name ?? (actor.kind === 'token' ? 'the organization' : actor.kind);
  const id = actor.userId ?? actor.actorId;
  return (
    <>
      {id === null ? name : <a href={`/console/audit?actor=${id}`}>{name}</a>}
      <span class="below quiet">
        {actor.kind === 'token' ? `token${actor.name === null ? '' : ` ${actor.name}`}` : actor.kind}
        {address !== null && `, ${address}`}
      </span>
    </>
  );
};

const Thing = ({ of: { target } }: { of: Line }) =>
  target === null ? null : (
    <>
      {target.targetId === null ? (
        (target.name ?? `${wordsOf(target.kind)}s`)
      ) : (
        <a href={`/console/audit?target=${target.targetId}`}>{target.name ?? <code>{target.targetId}</code>}</a>
      )}
      <span class="below quiet">{wordsOf(target.kind)}</span>
    </>
  );
