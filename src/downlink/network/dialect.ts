import type { OutgoingCall } from '#calls/caller.js';
import type { PlainObject } from '#records/item.js';
import type { NewEvidence } from '../note-evidence.js';
import type { StoredServer } from './server.js';

/** A request to a network server, without what all requests have in common. */
export type NetworkRequest = Required<Pick<OutgoingCall, 'method'>> & {
  /** Path below the address of the server. */
  path: string;
  body?: object;
};

/** A command as it is given to a network server. */
export interface PushedCommand {
  id: string;
  payload: Buffer;
  port: number;
  confirmed: boolean;
  /** Time from which it is not to be sent any more, in ISO 8601. */
  expiresAt: string;
}

/** Road to a device through a network server, as an event of the server names it. */
export interface Road {
  application: string;
  /** Name of the device at the server. */
  device: string;
}

/** Evidence about a command in an event of a network server. */
export interface HeardEvidence {
  /** Identifier of the command, or of its item in the server's queue. */
  about: { commandId: string } | { item: string };
  evidence: NewEvidence;
}

/** The requests and answers of a kind of network server. */
export interface Dialect {
  /** Returns the serial of the device of an event; undefined if it names none. */
  serialOf(event: PlainObject): string | undefined;
  /** Returns the road that an event names; undefined if it names none. */
  roadOf(event: PlainObject): Road | undefined;
  /**
   * Returns the evidence in an event.
   * @param kind kind of the event, if its body does not say it
   */
  evidenceIn(event: PlainObject, kind: string): HeardEvidence[];
  /** Returns the request that puts a command into the queue of a device. */
  push(application: string, device: string, command: PushedCommand): NetworkRequest;
  /** Returns the identifier that the server gave to a command in its queue, from its answer. */
  itemOf(answer: unknown): string | undefined;
  /**
   * Returns the request that lists the queue of a device; undefined if the queue does not tell whether a command is in
   * it.
   */
  listQueue?(application: string, device: string): NetworkRequest;
  /** Whether a command is in a listed queue. */
  isQueued?(answer: unknown, commandId: string): boolean;
  /** Returns a request that tells whether the server would take commands, and sends nothing to a device. */
  test(application: string, device: string | undefined): NetworkRequest;
  /** Whether an answer to the test says that the server takes commands. */
  isTaken(status: number, body: string): boolean;
}

/** Returns a path with its parts encoded. */
export const pathOf = (...parts: readonly string[]): string =>
  parts.map((part) => `/${encodeURIComponent(part)}`).join('');

/** Returns the dialects by the kinds of network servers. */
export type Dialects = Readonly<Record<StoredServer['kind'], Dialect>>;
