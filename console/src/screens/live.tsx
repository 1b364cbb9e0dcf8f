import { useEffect, useRef, useState } from 'preact/hooks';
import { useAddress } from '../address.js';
import { Page } from '../components/page.js';
import { Empty, Failure, Loading } from '../components/state.js';
import { LiveApplicationsDocument, LiveRecordsDocument, type LiveRecordsSubscription } from '../documents.js';
import { type GraphError, subscribe } from '../graph.js';
import { organizationId } from '../session.js';
import { moment } from '../time.js';
import { useQuery } from '../use-query.js';

type LiveRecord = LiveRecordsSubscription['recordReceived']['records'][number];

/** The newest records that are shown; older ones are left out and counted. */
const mostShown = 100;
/** The page is drawn anew at most this often, in milliseconds, however much comes in. */
const drawEvery = 250;

/** What comes in now. */
export function LiveScreen() {
  const address = useAddress();
  const applications = useQuery(LiveApplicationsDocument, { organizationId: organizationId.value });
  return (
    <Page title="Live">
      <Loading of={applications}>
        {({ applications: { items } }) => {
          const applicationId = address.get('application') || items[0]?.id;
          if (applicationId === undefined)
            return (
              <Empty title="No application">
                <p>Records are told to those who may see an application: make one, and link devices to it.</p>
              </Empty>
            );
          return (
            <>
              <div class="filters">
                <select
                  aria-label="Application"
                  value={applicationId}
                  onChange={({ currentTarget }) => address.set({ application: currentTarget.value })}
                >
                  {items.map(({ id, name }) => (
                    <option key={id} value={id}>
                      {name}
                    </option>
                  ))}
                </select>
              </div>
              <Stream key={applicationId} applicationId={applicationId} />
            </>
          );
        }}
      </Loading>
    </Page>
  );
}

interface Told {
  readonly records: readonly LiveRecord[];
  readonly leftOut: number;
}

function Stream({ applicationId }: { applicationId: string }) {
  const [told, setTold] = useState<Told>({ records: [], leftOut: 0 });
  const [state, setState] = useState<'open' | 'reconnecting'>('reconnecting');
  const [error, setError] = useState<GraphError | undefined>();
  const waiting = useRef<{ records: LiveRecord[]; leftOut: number }>({ records: [], leftOut: 0 });
  useEffect(() => {
    const stop = subscribe(
      LiveRecordsDocument,
      { organizationId: organizationId.value, applicationId, query: null },
      {
        next: ({ recordReceived: { records, missed } }) => {
          const all = [...records.toReversed(), ...waiting.current.records];
          waiting.current = {
            records: all.slice(0, mostShown),
            leftOut: waiting.current.leftOut + missed + Math.max(0, all.length - mostShown),
          };
        },
        state: setState,
        error: setError,
      },
    );
    const timer = setInterval(() => {
      const { records, leftOut } = waiting.current;
      if (records.length === 0 && leftOut === 0) return;
      waiting.current = { records: [], leftOut: 0 };
      setTold((before) => ({
        records: [...records, ...before.records].slice(0, mostShown),
        leftOut: before.leftOut + leftOut + Math.max(0, records.length + before.records.length - mostShown),
      }));
    }, drawEvery);
    return () => {
      stop();
      clearInterval(timer);
    };
  }, [applicationId]);
  return (
    <>
      {error && <Failure error={error} />}
      <p class="quiet" role="status">
        {state === 'open' ? 'Connected' : 'Connecting…'} · {told.records.length} shown
        {told.leftOut > 0 && ` · ${told.leftOut.toLocaleString()} left out`}
      </p>
      {told.records.length === 0 ? (
        <Empty title="Nothing yet">
          <p>Records appear here as they are stored.</p>
        </Empty>
      ) : (
        <ol class="records">
          {told.records.map(({ id, ts, data, device }) => (
            <li key={id}>
              <time>{moment(ts)}</time>{' '}
              {device && <a href={`/console/devices/${device.id}`}>{device.name ?? device.serial}</a>}{' '}
              <code>{JSON.stringify(data)}</code>
            </li>
          ))}
        </ol>
      )}
    </>
  );
}
