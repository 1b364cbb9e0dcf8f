import type { Agent, Dispatcher } from 'undici';
import type { AddressGuard } from './address-guard.js';
import { type CallConnection, freshConnections, keptConnections } from './connection.js';
import { createConnector } from './connector.js';
import { CallFault, faultOf, timedOut } from './fault.js';
import { lookingUpFor } from './resolver.js';

/** Maximum number of bytes that are read of an answer's body. The connection is cut after them. */
const readLimit = 64 * 1024;
/** Maximum number of bytes of the body that are kept. */
export const keepLimit = 16 * 1024;

/**
 * Delay, in milliseconds, with which a deadline's timer may run. A longer delay means that this process was held up.
 */
const heldUpMargin = 1000;

/** A call to make. */
export interface OutgoingCall {
  /** Organization for which the call is made: organizations share the name service. */
  organizationId: string;
  /** Scheme, host and port. */
  origin: string;
  /** Path and query. */
  path: string;
  /** Names and values, alternating. */
  headers: string[];
  /** Absent: POST. */
  method?: 'GET' | 'POST';
  body: string;
  /**
   * Whether a repetition would do harm. The call then has a connection of its own, and is made once whatever happens.
   */
  once?: boolean;
  /** Whether the call accepts certificates that no known authority signed. */
  allowUnverified: boolean;
}

/** A receiver's answer. */
export interface CallAnswer {
  statusCode: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The beginning of the body, as far as it was read. It may be longer than the part that is kept. */
  body: Buffer;
  /** Whether the body was longer than the part that is kept, or did not end in time. */
  truncated: boolean;
}

/** Durations of the parts of a call, in milliseconds. */
export interface Phases {
  /**
   * Time until the request could be written: name service, connection and TLS. It is about 0 on a connection that was
   * kept open.
   */
  connect: number;
  /** Time from there to the answer's head. */
  wait: number;
  /** Time from there to the answer's end. */
  read: number;
}

/** The outcome of a call: an answer, a fault, or neither when this service cut the call off. */
export interface CallOutcome {
  answer?: CallAnswer;
  fault?: CallFault;
  /** Whether the request was begun: without an answer, nobody knows what the receiver did. */
  sent: boolean;
  phases: Phases;
}

/** Outcome of a call that this service cut off or did not begin because it stops. */
export const cutOff: CallOutcome = { sent: false, phases: { connect: 0, wait: 0, read: 0 } };

/**
 * Makes calls to addresses that tenants name. It follows no redirect and decompresses nothing. It repeats a call in one
 * case only: a connection that had been kept open was closed before any byte of the answer came.
 */
export interface OutgoingCaller {
  /** Makes one call. Never rejects; resolves at the deadline at the latest. */
  call(call: OutgoingCall): Promise<CallOutcome>;
  /** Cuts off all calls in flight. */
  cut(): void;
  close(): Promise<void>;
}

export interface CallerOptions {
  guard: AddressGuard;
  /** Whether only https addresses are called. */
  httpsOnly: boolean;
  /** Deadline of a whole call, in milliseconds. */
  timeout: number;
  /** Maximum time to connect, in milliseconds: 5 s, or the deadline if that is shorter. */
  connectTimeout?: number;
}

/** Usual maximum time to connect to a receiver, in milliseconds. */
const maxConnectTimeout = 5000;

/** Creates a caller with its own connections. Calls that accept unverified certificates use separate connections. */
export function createOutgoingCaller({
  guard,
  httpsOnly,
  timeout,
  connectTimeout = Math.min(timeout, maxConnectTimeout),
}: CallerOptions): OutgoingCaller {
  const connections = (allowUnverified: boolean): Connections => {
    const connect = createConnector({ guard, timeout: connectTimeout, allowUnverified });
    return { kept: keptConnections(connect), fresh: freshConnections(connect) };
  };
  const verified = connections(false);
  const unverified = connections(true);
  const cuts = new Set<() => void>();
  return {
    call: async (call) =>
      httpsOnly && !call.origin.startsWith('https:')
        ? {
            fault: new CallFault('BLOCKED', 'Only https addresses are called.', true),
            sent: false,
            phases: { connect: 0, wait: 0, read: 0 },
          }
        : sendCall(call.allowUnverified ? unverified : verified, call, timeout, cuts),
    cut() {
      for (const cut of cuts) cut();
    },
    close: async () => {
      await Promise.all([verified, unverified].flatMap(({ kept, fresh }) => [kept.destroy(), fresh.destroy()]));
    },
  };
}

/** The two kinds of connections that calls use: kept open, or fresh for each call. */
interface Connections {
  kept: Agent;
  fresh: Agent;
}

/**
 * Makes a call through undici's lowest interface. Its callbacks receive every byte as it comes, so the body is counted
 * and cut without a stream, and nothing is decompressed.
 */
function sendCall(
  { kept, fresh }: Connections,
  call: OutgoingCall,
  timeout: number,
  cuts: Set<() => void>,
): Promise<CallOutcome> {
  return new Promise((resolve) => {
    const begun = performance.now();
    const phases: Phases = { connect: 0, wait: 0, read: 0 };
    const chunks: Buffer[] = [];
    let read = 0;
    let phase: keyof Phases = 'connect';
    let phaseBegun = begun;
    let head: Pick<CallAnswer, 'statusCode' | 'headers'> | undefined;
    let controller: Dispatcher.DispatchController | undefined;
    let ended = false;
    /** Whether the receiver may have closed the connection before this call reached it. */
    let reused = false;
    let repeated = false;

    const enter = (next: keyof Phases) => {
      const now = performance.now();
      phases[phase] += now - phaseBegun;
      phase = next;
      phaseBegun = now;
    };
    const end = (outcome: Omit<CallOutcome, 'phases' | 'sent'>) => {
      if (ended) return;
      ended = true;
      clearTimeout(timer);
      cuts.delete(cut);
      enter(phase);
      resolve({ ...outcome, sent: repeated || phase !== 'connect', phases });
    };
    const answer = (truncated: boolean): Pick<CallOutcome, 'answer'> =>
      head ? { answer: { ...head, body: Buffer.concat(chunks).subarray(0, readLimit), truncated } } : {};
    /** An answer whose head came in time counts as an answer, even if its body does not end in time. */
    const fail = (fault: CallFault) => end(head ? answer(true) : { fault });
    const drop = () => controller?.abort(new Error('The call has ended.'));

    const timer = setTimeout(() => {
      // In a process that was held up, timers run before sockets are read. An answer that has already arrived still
      // counts.
      setImmediate(() => {
        if (ended) return;
        fail(timedOut(timeout, performance.now() - begun > timeout + heldUpMargin));
        drop();
      });
    }, timeout);
    const cut = () => {
      end({});
      drop();
    };
    cuts.add(cut);

    const dispatch = (agent: Agent) =>
      agent.dispatch(
        {
          origin: call.origin,
          path: call.path,
          method: call.method ?? 'POST',
          headers: call.headers,
          body: call.body || null,
        },
        {
          onRequestStart(started, connection: CallConnection | null) {
            controller = started;
            reused = connection?.reused ?? false;
            // The call may have ended while it waited for a connection.
            if (ended) drop();
            else enter('wait');
          },
          onResponseStarted() {
            reused = false;
          },
          onResponseStart(_, statusCode, headers) {
            // Interim answers (1xx) are skipped.
            if (statusCode < 200) return;
            head = { statusCode, headers };
            enter('read');
          },
          onResponseData(_, chunk) {
            if (read < readLimit) chunks.push(chunk);
            read += chunk.length;
            if (read <= readLimit) return;
            end(answer(true));
            drop();
          },
          onResponseEnd: () => end(answer(read > keepLimit)),
          onResponseError(_, error) {
            const fault = faultOf(error);
            // Receivers close idle connections. Any call may meet a closing connection by chance, so the error says
            // nothing about the receiver's health.
            if (!ended && reused && !repeated && fault.code === 'RESET') {
              repeated = true;
              enter('connect');
              begin(fresh);
            } else fail(fault);
          },
        },
      );
    const begin = (agent: Agent) => {
      try {
        lookingUpFor(call.organizationId, () => dispatch(agent));
      } catch (error) {
        fail(faultOf(error));
      }
    };
    begin(call.once === true ? fresh : kept);
  });
}
