import type { Agent, Dispatcher } from 'undici';
import type { AddressGuard } from './address-guard.js';
import { type Connection, freshConnections, keptConnections } from './connection.js';
import { createConnector } from './connector.js';
import { CallFault, faultOf, timedOut } from './fault.js';
import { lookingUpFor } from './resolver.js';

/** At most this much of an answer's body is read, in bytes; the connection is cut after it. */
const readLimit = 64 * 1024;
/** At most this much of it is kept, in bytes. */
export const keepLimit = 16 * 1024;

/** A deadline that is noticed later than this says that this process was held up, in milliseconds. */
const heldUpMargin = 1000;

/** A call to be made. */
export interface Call {
  /** Whose hook is called: organizations share the name service. */
  organizationId: string;
  /** Scheme, host and port. */
  origin: string;
  /** Path and query. */
  path: string;
  /** Names and values in turn. */
  headers: string[];
  body: string;
  /** Whether certificates are accepted that no known authority signed. */
  allowUnverified: boolean;
}

/** What a receiver answered. */
export interface HookAnswer {
  statusCode: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The first bytes of the body: what is kept of it, and what comes after as far as it was read. */
  body: Buffer;
  /** Whether the body was longer than what was kept, or did not end in time. */
  truncated: boolean;
}

/** How long each part of a call took, in milliseconds. */
export interface Phases {
  /** Until the request could be written: name service, connection and TLS, nothing on a connection kept open. */
  connect: number;
  /** From there to the answer's head. */
  wait: number;
  /** From there to its end. */
  read: number;
}

/** The outcome of a call: an answer, a fault, or neither where this service cut it off. */
export interface Outcome {
  answer?: HookAnswer;
  fault?: CallFault;
  phases: Phases;
}

/** The outcome of a call that the stop of this service cut off or prevented. */
export const cutOff: Outcome = { phases: { connect: 0, wait: 0, read: 0 } };

/**
 * Makes calls, and nothing else: no redirect is followed, nothing is unpacked. A call is made again in one case only: a
 * connection that had been kept open was closed before anything of the answer came.
 */
export interface Caller {
  /** Makes one call. Never throws; ends at the deadline. */
  call(call: Call): Promise<Outcome>;
  /** Cuts off every call under way. */
  cut(): void;
  close(): Promise<void>;
}

/** Settings of a caller. */
export interface CallerOptions {
  guard: AddressGuard;
  /** Whether only https is called. */
  httpsOnly: boolean;
  /** Deadline of a whole call, in milliseconds. */
  timeout: number;
  /** Time to connect, in milliseconds. */
  connectTimeout: number;
}

/** A caller with connections of its own, kept apart for hooks that take unverified certificates. */
export function createCaller({ guard, httpsOnly, timeout, connectTimeout }: CallerOptions): Caller {
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
            fault: new CallFault('BLOCKED', 'Only https hooks are called.', true),
            phases: { connect: 0, wait: 0, read: 0 },
          }
        : attempt(call.allowUnverified ? unverified : verified, call, timeout, cuts),
    cut() {
      for (const cut of cuts) cut();
    },
    close: async () => {
      await Promise.all([verified, unverified].flatMap(({ kept, fresh }) => [kept.destroy(), fresh.destroy()]));
    },
  };
}

/** Where calls go: over connections kept open, or each over a fresh one. */
interface Connections {
  kept: Agent;
  fresh: Agent;
}

/**
 * undici's lowest interface: the request's own callbacks see every byte as it comes, so that a body is counted and cut
 * without a stream, and nothing is decompressed.
 */
function attempt({ kept, fresh }: Connections, call: Call, timeout: number, cuts: Set<() => void>): Promise<Outcome> {
  return new Promise((resolve) => {
    const begun = performance.now();
    const phases: Phases = { connect: 0, wait: 0, read: 0 };
    const chunks: Buffer[] = [];
    let read = 0;
    let phase: keyof Phases = 'connect';
    let phaseBegun = begun;
    let head: Pick<HookAnswer, 'statusCode' | 'headers'> | undefined;
    let controller: Dispatcher.DispatchController | undefined;
    let ended = false;
    /** Whether the connection may have been closed by the receiver before this call reached it. */
    let reused = false;
    let repeated = false;

    const enter = (next: keyof Phases) => {
      const now = performance.now();
      phases[phase] += now - phaseBegun;
      phase = next;
      phaseBegun = now;
    };
    const end = (outcome: Omit<Outcome, 'phases'>) => {
      if (ended) return;
      ended = true;
      clearTimeout(timer);
      cuts.delete(cut);
      enter(phase);
      resolve({ ...outcome, phases });
    };
    const answer = (truncated: boolean): Pick<Outcome, 'answer'> =>
      head ? { answer: { ...head, body: Buffer.concat(chunks).subarray(0, readLimit), truncated } } : {};
    /** A head that came in time is an answer, whatever becomes of its body. */
    const fail = (fault: CallFault) => end(head ? answer(true) : { fault });
    const drop = () => controller?.abort(new Error('The call has ended.'));

    const timer = setTimeout(() => {
      // In a process that was held up, timers run before sockets are read: an answer that has arrived counts.
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
        { origin: call.origin, path: call.path, method: 'POST', headers: call.headers, body: call.body },
        {
          onRequestStart(started, connection: Connection | null) {
            controller = started;
            reused = connection?.reused ?? false;
            // It may have ended while it waited for a connection.
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
            // A receiver closes idle connections. Which call meets that is chance, and says nothing about the receiver.
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
    begin(kept);
  });
}
