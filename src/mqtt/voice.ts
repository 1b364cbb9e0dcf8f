import sql from 'sql-template-tag';
import { invalid, notFound, tooLarge } from '#common/errors.js';
import { readAnswer } from '#downlink/answer.js';
import { commandOfNumber } from '#downlink/command-rows.js';
import { stateRows } from '#downlink/device-state.js';
import type { DeviceName, Downlink } from '#downlink/downlink.js';
import type { NewEvidence } from '#downlink/note-evidence.js';
import { readReports, tooManyNames, valueFaults } from '#downlink/state-values.js';
import { type DeviceState, maxStateNames } from '#entities/device-state.js';
import { isId } from '#entities/id.js';
import { asMalformed, decodeUtf8 } from '#http/body.js';
import type { PlainJson } from '#json/json.js';
import { parsePlain } from '#json/plain.js';
import { isObject, objectBody, storable, textIn } from '#records/sources/source.js';
import type { Read } from '#schema/context.js';
import type { Announcement } from './device.js';
import type { Message } from './push/message.js';
import type { ReasonCode } from './reason.js';

/** A topic on which a device speaks of its commands and its state, or asks about it. */
export type VoiceTopic =
  /** An answer to a command, and a report of the state. */
  | { kind: 'result'; commandId: string }
  | { kind: 'report' }
  /** The same in ThingsBoard's form, and a request for attributes. */
  | { kind: 'callResult'; number: number }
  | { kind: 'attributes' }
  | { kind: 'attributeRequest'; number: number };

/** Outcome of a message that is acknowledged. */
export interface Heard {
  /** A sentence about parts that were not stored, if there are any. */
  words?: string | undefined;
  /** Whether nothing was stored. */
  isIgnored?: boolean;
  /** Answer to a request. */
  reply?: Message;
  /** Reason of the acknowledgement, if nothing was stored for one. */
  reason?: ReasonCode;
  /** A device that a gateway speaks for, or no longer speaks for. */
  announcement?: Announcement;
}

/** Functions of the service that devices speak to. */
export interface Hearing {
  downlink: Pick<Downlink, 'note' | 'report'>;
  read: Read;
}

/** Maximum size of such a message, in bytes. */
export const maxBytes = 256 * 1024;

/**
 * Stores what a device says, and answers what it asks.
 * @throws ApiError 400, 404, 413, 422
 */
export async function hear(topic: VoiceTopic, bytes: Buffer, device: DeviceName, hearing: Hearing): Promise<Heard> {
  if (bytes.length > maxBytes) throw tooLarge(`A message of this kind has at most ${maxBytes} bytes.`);
  const text = decodeUtf8(bytes);
  switch (topic.kind) {
    case 'result': {
      const { result, error } = objectBody(parse(text));
      const id = topic.commandId;
      const answer = readAnswer({ result, error });
      if (!isId(id) || !(await hearing.downlink.note({ id, deviceId: device.id }, answer))) throw notFound('command');
      return {};
    }
    case 'report': {
      const { reported, versions } = objectBody(parse(text));
      if (!isObject(reported)) throw invalid([{ path: 'reported', message: 'must be an object of values' }]);
      if (versions != null && !isObject(versions))
        throw invalid([{ path: 'versions', message: 'must be an object of versions' }]);
      const count = await hearing.downlink.report(device, readReports(reported, versions ?? {}), maxStateNames);
      if (count > maxStateNames) throw tooManyNames('reported', count);
      return {};
    }
    case 'callResult':
      return answerCall(topic.number, readAnswer({ result: jsonOrText(text) }), device, hearing);
    case 'attributes':
      return storeAttributes(objectBody(storable(parse(text))), device, hearing);
    case 'attributeRequest':
      return { isIgnored: true, reply: await answerRequest(topic.number, objectBody(parse(text)), device, hearing) };
  }
}

/** @throws malformed (400) */
export const parse = (text: string): PlainJson => {
  try {
    return parsePlain(text) as PlainJson;
  } catch (error) {
    return asMalformed(error);
  }
};

/** Stores the answer to a call of ThingsBoard's form. An unknown number is ignored. */
export async function answerCall(
  number: number,
  answer: NewEvidence,
  device: DeviceName,
  hearing: Hearing,
): Promise<Heard> {
  const [command] = await hearing.read<{ id: string }>(commandOfNumber(device.id, number));
  if (command === undefined) return { isIgnored: true };
  await hearing.downlink.note({ id: command.id, deviceId: device.id }, answer);
  return {};
}

const jsonOrText = (text: string): unknown => {
  try {
    return parsePlain(text);
  } catch {
    return text;
  }
};

/**
 * Stores client attributes as the reported state. Those that are no plain values are left out: ThingsBoard's clients do not
 * learn of a refusal but by the end of their connection.
 */
export async function storeAttributes(
  attributes: Readonly<Record<string, PlainJson>>,
  device: DeviceName,
  { downlink }: Hearing,
): Promise<Heard> {
  const all = Object.entries(attributes);
  const plain = all.filter(([name, value]) => valueFaults('', { [name]: value }).length === 0);
  const left = all.length - plain.length;
  const words =
    left === 0
      ? undefined
      : `${left} of ${all.length} attributes were not stored: a value is a number, a boolean or a text of at most 1 kB.`;
  if (plain.length === 0) return { words, isIgnored: true };
  const count = await downlink.report(device, readReports(Object.fromEntries(plain), {}), maxStateNames);
  return count <= maxStateNames
    ? { words }
    : { words: `The attributes were not stored: a device has at most ${maxStateNames} names.`, isIgnored: true };
}

/** Answers a request for client attributes (reported values) and shared ones (desired values); all without keys. */
async function answerRequest(
  number: number,
  { clientKeys, sharedKeys }: Readonly<Record<string, PlainJson>>,
  device: DeviceName,
  { read }: Hearing,
): Promise<Message> {
  const rows = await read<DeviceState>(stateRows(sql`${[device.id]}`));
  const isAll = clientKeys === undefined && sharedKeys === undefined;
  const pick = (keys: PlainJson | undefined, valueOf: (part: DeviceState) => unknown) => {
    const names = new Set((textIn(keys) ?? '').split(',').map((name) => name.trim()));
    return Object.fromEntries(
      rows
        .filter((part) => valueOf(part) !== null && (isAll || names.has(part.name)))
        .map((part) => [part.name, valueOf(part)]),
    );
  };
  const client = pick(clientKeys, ({ reported }) => reported);
  const shared = pick(sharedKeys, ({ desired }) => desired);
  const payload = {
    ...(Object.keys(client).length > 0 && { client }),
    ...(Object.keys(shared).length > 0 && { shared }),
  };
  return { topic: `v1/devices/me/attributes/response/${number}`, payload: JSON.stringify(payload) };
}
