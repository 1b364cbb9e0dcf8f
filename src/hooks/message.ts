import type { OutgoingCall } from '#calls/caller.js';
import type { HookEventKind } from '#entities/text-enums.js';
import type { HookTarget } from './target.js';

/** Kinds of events that hooks can choose. */
export type ChosenEvent = (typeof HookEventKind)[keyof typeof HookEventKind];

/** Kinds of events that calls carry. */
export type EventName = ChosenEvent | 'ping';

/** The device of a stored record, as payloads show it. */
export interface RecordDevice {
  id: string;
  serial: string;
  organizationId: string;
  product?: { id: string; organizationId: string };
  location?: { lat: number; lon: number };
}

/** A record that was just stored. */
export interface HookRecord {
  id: string;
  /** Unix time in seconds. */
  ts: number;
  metadata: unknown;
  data: unknown;
  device: RecordDevice;
  /** W3C trace context of the request that posted the record. */
  traceparent?: string;
}

/** Identifiers of an application. */
export interface ApplicationKey {
  id: string;
  organizationId: string;
}

/**
 * Returns a function that builds a record's payload for an application. The long part is written once for all
 * applications (contract, section 11).
 */
export function recordPayload({ ts, metadata, data, device }: HookRecord): (application: ApplicationKey) => string {
  const { id, serial, organizationId, product, location } = device;
  const head = JSON.stringify({
    record: { ts, metadata, data },
    device: { id, serial, organizationId, product, location },
  }).slice(0, -1);
  return (application) =>
    `${head},"application":${JSON.stringify({ id: application.id, organizationId: application.organizationId })}}`;
}

/** Builds the payload of a ping. */
export const pingPayload = ({ id, organizationId }: ApplicationKey, hookId: string): string =>
  JSON.stringify({ application: { id, organizationId }, hook: { id: hookId } });

/** Content of a call. */
export interface Message {
  /** Organization of the hook. */
  organizationId: string;
  /** Identifier of the delivery, the same over all its attempts. */
  id: string;
  event: EventName;
  payload: string;
  /** W3C trace context for the receiver; null or absent without one. */
  traceparent?: string | null;
}

/** Builds the call of a message to a target, and the request as it is stored: JSON text with secrets replaced. */
export function compose(
  target: HookTarget,
  { organizationId, id, event, payload, traceparent }: Message,
  now: number,
): [OutgoingCall, string] {
  const length = Buffer.byteLength(payload);
  const headers = ['content-length', String(length), 'x-service-event', event, 'x-service-delivery-id', id];
  let shown = `"content-length":"${length}","x-service-event":"${event}","x-service-delivery-id":"${id}"`;
  // The hook's own header wins.
  if (traceparent && !target.headers.includes('traceparent')) {
    headers.push('traceparent', traceparent);
    shown += `,"traceparent":"${traceparent}"`;
  }
  for (const [name, value] of target.sign(id, payload, now)) {
    headers.push(name, value);
    shown += `,"${name}":"${value}"`;
  }
  return [
    {
      organizationId,
      origin: target.origin,
      path: target.path,
      headers: target.headers.concat(headers),
      body: payload,
      allowUnverified: target.allowUnverified,
    },
    `{"method":"POST","headers":{${target.shownHeaders},${shown}},"uri":${target.shownUri}}`,
  ];
}
