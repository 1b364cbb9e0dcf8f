import sql from 'sql-template-tag';
import { ApiError, type Fault, invalid, tooLarge } from '#common/errors.js';
import { readAnswer } from '#downlink/answer.js';
import { stateRows } from '#downlink/device-state.js';
import type { DeviceName } from '#downlink/downlink.js';
import type { Caller } from '#entities/caller.js';
import type { DeviceState } from '#entities/device-state.js';
import { isStorable } from '#entities/storable.js';
import { decodeUtf8 } from '#http/body.js';
import type { PlainJson } from '#json/json.js';
import { isObject, objectBody, storable } from '#records/sources/source.js';
import { deviceOfSerial } from './device.js';
import type { Message } from './push/message.js';
import { refusalFor } from './reason.js';
import { answerCall, type Heard, type Hearing, maxBytes, parse, storeAttributes } from './voice.js';

/** A topic on which one of ThingsBoard's gateways speaks of its devices. */
export interface GatewayTopic {
  kind: 'deviceConnect' | 'deviceDisconnect' | 'deviceAttributes' | 'deviceAttributeRequest' | 'deviceCallResult';
}

/** Maximum number of devices of one message with attributes: each takes a transaction. */
const maxDevices = 100;

/**
 * Stores what a gateway says of its devices, and answers what it asks. What names no device of the organization is
 * acknowledged with a reason: a refusal would end the connection of a client of MQTT 3.1.1, and with it that of all its devices.
 * @throws ApiError 400, 413, 422
 */
export async function hearGateway(
  { kind }: GatewayTopic,
  bytes: Buffer,
  { organizationId }: Caller,
  hearing: Hearing,
): Promise<Heard> {
  if (bytes.length > maxBytes) throw tooLarge(`A message of this kind has at most ${maxBytes} bytes.`);
  const body = objectBody(parse(decodeUtf8(bytes)));
  const deviceAt = (name: PlainJson | undefined, path = 'device') => findDevice(organizationId, name, path, hearing);
  try {
    switch (kind) {
      case 'deviceConnect':
      case 'deviceDisconnect': {
        const { device, name } = await deviceAt(body['device']);
        return { isIgnored: true, announcement: { device, name, isHere: kind === 'deviceConnect' } };
      }
      case 'deviceAttributes':
        return await storeAll(objectBody(storable(body)), deviceAt, hearing);
      case 'deviceAttributeRequest': {
        const { device, name } = await deviceAt(body['device']);
        return { isIgnored: true, reply: await answerRequest(body, device, name, hearing) };
      }
      case 'deviceCallResult': {
        const { device } = await deviceAt(body['device']);
        const { id, data, error } = body;
        const answer = readAnswer(error == null ? { result: data } : { error });
        return await answerCall(numberAt('id', id), answer, device, hearing);
      }
    }
  } catch (error) {
    if (error instanceof ApiError && error.code === 'NOT_FOUND') return unknownDevice(error);
    throw error;
  }
}

const unknownDevice = (error: ApiError): Heard => {
  const { reason } = refusalFor(error);
  return { isIgnored: true, reason, words: 'The organization has no device with this serial.' };
};

/** @throws invalid, notFound */
async function findDevice(
  organizationId: string,
  name: PlainJson | undefined,
  path: string,
  { read }: Hearing,
): Promise<{ device: DeviceName; name: string }> {
  if (typeof name !== 'string' || name === '' || name.length > 200 || !isStorable(name))
    throw invalid([{ path, message: 'must be the serial of a device' }]);
  return { device: await deviceOfSerial(organizationId, name, read), name };
}

type FindDevice = (name: PlainJson | undefined, path: string) => Promise<{ device: DeviceName }>;

/** Stores the attributes of several devices. */
async function storeAll(
  attributes: Readonly<Record<string, PlainJson>>,
  deviceAt: FindDevice,
  hearing: Hearing,
): Promise<Heard> {
  const all = Object.entries(attributes);
  if (all.length > maxDevices)
    throw invalid([{ path: '', message: `a message has attributes of at most ${maxDevices} devices` }]);
  const faults = all.flatMap(([name, values]): Fault[] =>
    isObject(values) ? [] : [{ path: name, message: 'must be an object of attributes' }],
  );
  if (faults.length > 0) throw invalid(faults);
  const unknown: string[] = [];
  const heard: Heard[] = [];
  for (const [name, values] of all)
    try {
      const { device } = await deviceAt(name, name);
      heard.push(await storeAttributes(values as Record<string, PlainJson>, device, hearing));
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'NOT_FOUND') throw error;
      unknown.push(name);
    }
  const words = [
    ...(unknown.length > 0 ? [`Unknown devices: ${unknown.slice(0, 10).join(', ')}.`] : []),
    ...heard.flatMap((each) => each.words ?? []),
  ];
  return {
    ...(words.length > 0 && { words: words.join(' ') }),
    isIgnored: heard.every(({ isIgnored }) => isIgnored),
  };
}

/**
 * Answers a request for client attributes (reported values) or shared ones (desired values) of a device: a `key` with its
 * value, `keys` with theirs, and all without either.
 */
async function answerRequest(
  { id, client, key, keys }: Readonly<Record<string, PlainJson>>,
  device: DeviceName,
  name: string,
  { read }: Hearing,
): Promise<Message> {
  const number = numberAt('id', id);
  const parts = await read<DeviceState>(stateRows(sql`${[device.id]}`));
  const valueOf = ({ reported, desired }: DeviceState) => (client === true ? reported : desired);
  const wanted = typeof key === 'string' ? [key] : Array.isArray(keys) ? keys : undefined;
  const found = parts.filter((part) => valueOf(part) !== null && (wanted === undefined || wanted.includes(part.name)));
  const isOne = typeof key === 'string' && found.length > 0;
  const values = Object.fromEntries(found.map((part) => [part.name, valueOf(part)]));
  const answer = { id: number, device: name, ...(isOne ? { value: valueOf(found[0]!) } : { values }) };
  return { topic: 'v1/gateway/attributes/response', payload: JSON.stringify(answer) };
}

const numberAt = (path: string, value: PlainJson | undefined): number => {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 2 ** 31) return value;
  throw invalid([{ path, message: 'must be a whole number' }]);
};
