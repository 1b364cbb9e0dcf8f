import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { LiveRecordsDocument } from '../../api/documents.js';
import { type GraphError, subscribe } from '../../api/graph.js';
import { organizationId } from '../../api/session.js';
import { RecordValues } from '../../components/record-values.js';
import { Empty, Failure } from '../../components/state.js';
import { TableFrame } from '../../components/table-frame.js';
import type { Look } from '../../format/look.js';
import { formatTime, zone } from '../../format/time.js';
import { counted } from '../../format/value.js';
import type { LiveRecord } from './history.js';

/** Maximum number of records that are shown. Older ones are dropped and counted. */
const mostShown = 100;
/** Minimum time between two renderings in milliseconds, however many records arrive. */
const drawEvery = 250;

interface Told {
  readonly records: readonly LiveRecord[];
  readonly count: number;
  readonly leftOut: number;
}

const noRecords: Told = { records: [], count: 0, leftOut: 0 };

const states = { open: 'Connected', reconnecting: 'Connecting…' } as const;

/** Finds the unit of a variable of a product. */
export type LookOf = (productId: string, name: string) => Look | undefined;

/** Shows records as they arrive, above the history. */
export function Stream({
  applicationId,
  query,
  lookOf,
  history,
  wasLost,
  restart,
}: {
  applicationId: string;
  query: Record<string, unknown> | undefined;
  lookOf: LookOf;
  history: readonly LiveRecord[];
  /** Whether the history has the records of a time without connection. */
  wasLost: boolean;
  /** Called when the stream was broken off for too long to continue. */
  restart: () => void;
}) {
  const { told, state } = useRecords(applicationId, query, restart);
  const before = useMemo(() => {
    const now = new Set(told.records.map(({ id }) => id));
    return history.filter(({ id }) => !now.has(id)).slice(0, Math.max(0, mostShown - told.records.length));
  }, [history, told]);
  return (
    <>
      {typeof state === 'object' && <Failure error={state} />}
      <p class="quiet" role="status">
        {typeof state === 'string' && `${states[state]} · `}
        {counted(told.count, 'record')} came
        {told.leftOut > 0 && ` · ${told.leftOut.toLocaleString()} left out: the newest ${mostShown} are shown`}
      </p>
      {told.records.length + before.length === 0 ? (
        <Empty title="Nothing yet">
          <p>Records appear here as they are stored.</p>
        </Empty>
      ) : (
        <TableFrame label="Records">
          <table aria-label="Records">
            <thead>
              <tr>
                <th>Measured ({zone.value})</th>
                <th>Device</th>
                <th>Data</th>
              </tr>
            </thead>
            <tbody>
              {told.records.map((record) => (
                <Line key={record.id} of={record} lookOf={lookOf} />
              ))}
              {before.length > 0 && (
                <tr class="divider">
                  <th colSpan={3}>{wasLost ? 'Before the connection was back' : 'Before this page was opened'}</th>
                </tr>
              )}
              {before.map((record) => (
                <Line key={record.id} of={record} lookOf={lookOf} />
              ))}
            </tbody>
          </table>
        </TableFrame>
      )}
    </>
  );
}

const Line = ({ of: { ts, data, device }, lookOf }: { of: LiveRecord; lookOf: LookOf }) => (
  <tr>
    <td>
      <time>{formatTime(ts)}</time>
    </td>
    <td>{device && <a href={`/console/devices/${device.id}`}>{device.name ?? device.serial}</a>}</td>
    <td class="data">
      <RecordValues of={data} lookOf={(name) => (device?.product ? lookOf(device.product.id, name) : undefined)} />
    </td>
  </tr>
);

/**
 * Returns the records of a subscription and renders at most four times a second. A broken stream continues from its
 * cursor. The service refuses a cursor after an hour: `restart` is called then.
 */
function useRecords(applicationId: string, query: Record<string, unknown> | undefined, restart: () => void) {
  const [told, setTold] = useState(noRecords);
  const [state, setState] = useState<keyof typeof states | GraphError>('reconnecting');
  const waiting = useRef(noRecords);
  useEffect(() => {
    let cursor: string | null = null;
    const stop = subscribe(
      LiveRecordsDocument,
      () => ({ organizationId: organizationId.value, applicationId, query: query ?? null, after: cursor }),
      {
        next: ({ recordReceived }) => {
          cursor = recordReceived.cursor;
          const { records, missed } = recordReceived;
          waiting.current = joined(waiting.current, records.toReversed(), records.length + missed, missed);
        },
        state: setState,
        // Without a cursor, the refusal has another reason, and a restart would not help.
        error: (refusal) => (cursor === null ? setState(refusal) : restart()),
      },
    );
    const timer = setInterval(() => {
      const { records, count, leftOut } = waiting.current;
      if (count === 0) return;
      waiting.current = noRecords;
      setTold((before) => joined(before, records, count, leftOut));
    }, drawEvery);
    return () => {
      stop();
      clearInterval(timer);
    };
  }, [applicationId, query]);
  return { told, state };
}

/** Puts newer records before those already shown. Records beyond the maximum are counted only. */
const joined = (before: Told, records: readonly LiveRecord[], count: number, leftOut: number): Told => {
  const all = [...records, ...before.records];
  return {
    records: all.slice(0, mostShown),
    count: before.count + count,
    leftOut: before.leftOut + leftOut + Math.max(0, all.length - mostShown),
  };
};
