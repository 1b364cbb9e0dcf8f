import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { DashboardRecordsDocument } from '../../../api/documents.js';
import { askEach, type GraphError, refusalOf, subscribe } from '../../../api/graph.js';
import { type ChosenRange, endsOf } from '../../../format/range.js';
import { zone } from '../../../format/time.js';
import type { Panel } from '../document.js';
import { askPanel } from './ask.js';
import type { Fact } from './context.js';
import { PanelRequest } from './request.js';
import type { Result } from './results.js';
import type { Values } from './values.js';

/** Contents of all panels. One request returns them all, so that they change together. */
export interface Shown {
  readonly results: ReadonlyMap<string, Result>;
  /** Ends of the range, in Unix seconds. */
  readonly from: number;
  readonly to: number;
}

/** The results with the state of the connection. */
export interface Board {
  readonly shown: Shown | undefined;
  /** Why the latest request failed. The panels keep what they show. */
  readonly error: GraphError | undefined;
  /** Whether the range follows the clock. */
  readonly follows: boolean;
  /** Whether records that arrive renew the panels. */
  readonly isLive: boolean;
  readonly refresh: () => void;
}

export interface Subject {
  readonly organizationId: string;
  readonly applicationId: string;
  readonly panels: readonly Panel[];
  readonly values: Values;
  readonly range: ChosenRange;
  readonly facts: ReadonlyMap<string, Fact>;
}

/** Times in milliseconds: the minimum between two requests for short and for long ranges, and the maximum. */
const pauses = { short: 5000, long: 30_000, most: 60_000 } as const;
/** Time in milliseconds until a failed request is repeated, at first and at most. */
const retry = { first: 1000, most: 30_000 } as const;
/** Time in milliseconds that an editor's changes wait for further ones. */
const settle = 200;

const isVisible = () => document.visibilityState === 'visible';

/**
 * Reads the results of all panels by one request, and again when records arrive, once a minute, when the page is shown
 * again, and after the connection was lost. A page in the background sends no requests.
 */
export function useResults(subject: Subject): Board {
  const [shown, setShown] = useState<Shown | undefined>();
  const [error, setError] = useState<GraphError | undefined>();
  const [isLive, setLive] = useState(false);
  const latest = useRef(subject);
  latest.current = subject;
  const wake = useRef<(isUrgent: boolean) => void>(() => undefined);
  const { organizationId, applicationId, panels, values, range, facts } = subject;
  // The layout and the titles of panels do not affect the request.
  const key = useMemo(
    () => JSON.stringify([panels.map(({ x, y, w, h, title, ...asked }) => asked), values, range, zone.value]),
    [panels, values, range, zone.value],
  );

  useEffect(() => {
    let left: AbortController | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let due = Number.POSITIVE_INFINITY;
    let [last, failures] = [0, 0];
    // Arriving records do not abort a running request: a slow one would be aborted again and again.
    let isStale = false;
    const schedule = (wait: number) => {
      const at = Date.now() + wait;
      if (at >= due) return;
      due = at;
      clearTimeout(timer);
      timer = setTimeout(() => void load(), wait);
    };
    const load = async () => {
      due = Number.POSITIVE_INFINITY;
      if (!isVisible()) return;
      left?.abort();
      const own = (left = new AbortController());
      isStale = false;
      last = Date.now();
      try {
        const next = await resultsOf(latest.current, own.signal);
        failures = 0;
        setShown(next);
        setError(undefined);
      } catch (cause) {
        if (own.signal.aborted) return;
        failures++;
        setError(refusalOf(cause));
      }
      left = undefined;
      schedule(failures > 0 ? Math.min(retry.most, retry.first * 2 ** failures) : isStale ? pause : pauses.most);
    };
    const { from, to } = endsOf(range);
    const pause = to - from <= 86_400 ? pauses.short : pauses.long;
    wake.current = (isUrgent) => {
      if (isUrgent) schedule(0);
      else if (left === undefined) schedule(Math.max(0, last + pause - Date.now()));
      else isStale = true;
    };
    const onShown = () => isVisible() && schedule(0);
    document.addEventListener('visibilitychange', onShown);
    schedule(latest.current.panels.length === 0 || shown === undefined ? 0 : settle);
    return () => {
      document.removeEventListener('visibilitychange', onShown);
      clearTimeout(timer);
      left?.abort();
    };
  }, [organizationId, applicationId, key, facts]);

  const follows = 'name' in range;
  useEffect(() => {
    if (!follows) return undefined;
    let before: 'open' | 'reconnecting' | undefined;
    const stop = subscribe(DashboardRecordsDocument, () => ({ organizationId, applicationId }), {
      next: ({ recordReceived }) => {
        if (recordReceived.records.length + recordReceived.missed > 0) wake.current(false);
      },
      state: (state) => {
        setLive(state === 'open');
        // The stream does not tell what arrived before it was open: between the first request and it, or in a break.
        if (state === 'open' && before !== 'open') wake.current(before === 'reconnecting');
        before = state;
      },
      // The panels are still renewed each minute.
      error: () => setLive(false),
    });
    return () => {
      stop();
      setLive(false);
    };
  }, [organizationId, applicationId, follows]);
  return { shown, error, follows, isLive, refresh: () => wake.current(true) };
}

async function resultsOf(subject: Subject, signal: AbortSignal): Promise<Shown> {
  const { organizationId, applicationId, panels, values, range, facts } = subject;
  const { from, to } = endsOf(range);
  const request = new PanelRequest();
  const readers = panels.map(
    (panel) => [panel.id, askPanel(panel, values, { request, range, from, to, facts })] as const,
  );
  const { text, variables } = request.build(organizationId, applicationId, from, to);
  const answer = request.isEmpty
    ? { data: {}, refusals: new Map<string, GraphError>() }
    : await askEach<Record<string, unknown>, typeof variables>({ toString: () => text }, variables, signal);
  return { from, to, results: new Map(readers.map(([id, read]) => [id, read(answer)])) };
}
