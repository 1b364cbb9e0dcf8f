import { createHash } from 'node:crypto';
import type { PlainJson } from '#json/json.js';
import { readPayload } from '../decode/payload.js';
import type { Item, PlainObject } from '../item.js';
import { dataRateOf, frequencyOf, receptionOf } from './radio.js';
import {
  bytesIn,
  isObject,
  numberIn,
  objectBody,
  objectIn,
  placeIn,
  portIn,
  type ReadSource,
  serialIn,
  textIn,
  timeIn,
  timestampIn,
} from './source.js';

const provider = 'the-things-stack';

/**
 * Reads a webhook of The Things Stack v3 in JSON (application data formats, `ApplicationUp`). Uplinks, normalized
 * uplinks, solved locations and accepted joins become records; other events store nothing.
 */
export const readTheThingsStack: ReadSource = (body, onSerial) => {
  const event = objectBody(body);
  for (const [kind, read] of Object.entries(readers)) {
    const message = event[kind];
    if (!isObject(message)) continue;
    const content = read(event, message);
    if (content === undefined) return [];
    const serial = serialOf(event, onSerial);
    return [{ serials: [serial], ...content(serial) }];
  }
  return [];
};

/** Reads a message. The returned function builds the item for a serial; undefined if there is nothing to store. */
type ReadMessage = (
  event: PlainObject,
  message: PlainObject,
) => ((serial: string) => Omit<Item, 'serials'>) | undefined;

/** Reads an `ApplicationUplink`. */
const readUplink: ReadMessage = (event, uplink) => (serial) => {
  const key = keyOf(serial, event, uplink);
  const payload = textIn(uplink.frm_payload);
  return {
    ...receivedAt('uplink_message', event, uplink),
    metadata: { ...radioOf(uplink), provider },
    data: objectIn(uplink.decoded_payload),
    ...(payload === undefined
      ? {}
      : {
          frame: {
            ...portIn(uplink.f_port),
            bytes: bytesIn(readPayload(payload, 'base64'), 'base64', 'uplink_message.frm_payload'),
          },
        }),
    ...(key === undefined ? {} : { key }),
  };
};

/**
 * Reads an `ApplicationUplinkNormalized`: one measurement, which may carry its own time. An uplink may have several.
 */
const readNormalized: ReadMessage = (event, uplink) => {
  const data = objectIn(uplink.normalized_payload);
  if (Object.keys(data).length === 0) return undefined;
  const measured = timestampIn(['uplink_normalized.normalized_payload.time', data.time]);
  return () => ({
    ...receivedAt('uplink_normalized', event, uplink),
    ...measured,
    metadata: { ...radioOf(uplink), provider, event: 'uplink_normalized' },
    data,
    ...eventKey('uplink_normalized', event, data),
  });
};

/** Reads an `ApplicationLocation`. */
const readLocation: ReadMessage = (event, solved) => {
  const location = placeIn(solved.location);
  if (location === undefined) return undefined;
  return () => ({
    ...receivedAt('location_solved', event, solved),
    metadata: { provider, event: 'location_solved' },
    data: { location },
    ...eventKey('location_solved', event, solved),
  });
};

/** Reads an `ApplicationJoinAccept`: the device has joined. Its session keys are not stored. */
const readJoin: ReadMessage = (event, join) => {
  if (Object.keys(join).length === 0) return undefined;
  return () => ({
    ...receivedAt('join_accept', event, join),
    metadata: { provider, event: 'join_accept' },
    data: {},
    ...eventKey('join_accept', event, join),
  });
};

const readers: Readonly<Record<string, ReadMessage>> = {
  uplink_message: readUplink,
  uplink_normalized: readNormalized,
  location_solved: readLocation,
  join_accept: readJoin,
};

const serialOf = (event: PlainObject, onSerial?: (serial: string) => void): string =>
  serialIn(devEuiOf(event), 'end_device_ids.dev_eui', onSerial);

/** Returns the DevEUI. If it is missing, takes it from a device identifier `eui-...`, which the server made from it. */
export const devEuiOf = (event: PlainObject): string | undefined => {
  const { dev_eui, device_id } = objectIn(event.end_device_ids);
  const [, eui] = /^eui-([0-9a-f]{16})$/i.exec(textIn(device_id) ?? '') ?? [];
  return textIn(dev_eui) ?? eui;
};

const receivedAt = (kind: string, event: PlainObject, message: PlainObject) =>
  timestampIn([`${kind}.received_at`, message.received_at], ['received_at', event.received_at]);

/** The server omits a frame counter of 0. */
const radioOf = ({ f_cnt, rx_metadata, settings }: PlainObject): PlainObject => {
  const { data_rate, frequency } = objectIn(settings);
  const { lora, fsk, lrfhss } = objectIn(data_rate);
  return {
    ...receptionOf(rx_metadata, (gateway) => {
      const { gateway_id, eui } = objectIn(gateway.gateway_ids);
      return textIn(gateway_id) ?? eui;
    }),
    fCnt: numberIn(f_cnt) ?? 0,
    ...dataRateOf({
      ...(isObject(lora) && { lora: { spreadingFactor: lora.spreading_factor, bandwidth: lora.bandwidth } }),
      ...(isObject(fsk) && { fsk: { bitRate: fsk.bit_rate } }),
      ...(isObject(lrfhss) && { lrFhss: { width: lrfhss.operating_channel_width } }),
    }),
    ...frequencyOf(frequency),
  };
};

/**
 * Returns the deduplication key. The counter of a device that is activated by personalization begins again within its
 * session, so the key also has the time of reception, which stays the same when the server sends the uplink again.
 * Without a session, the key is the identifier that the application server gave the uplink.
 */
const keyOf = (serial: string, event: PlainObject, uplink: PlainObject): string | undefined => {
  const session = textIn(uplink.session_key_id);
  if (session !== undefined) {
    const received = [uplink.received_at, event.received_at].find((time) => timeIn(time) !== undefined);
    return [serial, session, numberIn(uplink.f_cnt) ?? 0, textIn(received) ?? ''].join('|');
  }
  const ids: PlainJson[] = Array.isArray(event.correlation_ids) ? event.correlation_ids : [];
  return ids.map(textIn).find((id) => id?.startsWith('as:up:'));
};

/**
 * Returns the deduplication key of an event. Messages that one uplink caused share their time, so the same time with
 * the same content is a repetition.
 */
const eventKey = (kind: string, event: PlainObject, content: PlainObject): { key?: string } => {
  const time = textIn(event.received_at);
  if (time === undefined) return {};
  const digest = createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 22);
  return { key: `${kind}|${time.slice(0, 60)}|${digest}` };
};
