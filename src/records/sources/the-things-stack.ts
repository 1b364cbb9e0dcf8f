import type { PlainJson } from '../../json.js';
import { readPayload } from '../decode/payload.js';
import type { PlainObject } from '../item.js';
import {
  bytesIn,
  isObject,
  numberIn,
  objectBody,
  objectIn,
  portIn,
  type ReadSource,
  reception,
  serialIn,
  textIn,
  timeIn,
} from './source.js';

/** The Things Stack v3, webhook "uplink message" (application data formats, `ApplicationUp`). */
export const readTheThingsStack: ReadSource = (body) => {
  const event = objectBody(body);
  const uplink = event.uplink_message;
  if (!isObject(uplink)) return [];
  const serial = serialIn(objectIn(event.end_device_ids).dev_eui, 'end_device_ids.dev_eui');
  const key = keyOf(serial, event, uplink);
  const ts = timeIn(uplink.received_at) ?? timeIn(event.received_at);
  const payload = textIn(uplink.frm_payload);
  return [
    {
      serials: [serial],
      ...(ts === undefined ? {} : { ts }),
      metadata: { ...reception(uplink.rx_metadata), provider: 'the-things-stack' },
      data: objectIn(uplink.decoded_payload),
      ...(payload === undefined
        ? {}
        : {
            frame: {
              ...portIn(uplink.f_port),
              bytes: bytesIn(readPayload(payload, 'base64'), 'uplink_message.frm_payload'),
            },
          }),
      ...(key === undefined ? {} : { key }),
    },
  ];
};

/** A frame counter counts within a session; without one the identifier that the application server gave the uplink. */
const keyOf = (serial: string, event: PlainObject, uplink: PlainObject): string | undefined => {
  const session = textIn(uplink.session_key_id);
  if (session !== undefined) return `${serial}|${session}|${numberIn(uplink.f_cnt) ?? 0}`;
  const ids: PlainJson[] = Array.isArray(event.correlation_ids) ? event.correlation_ids : [];
  return ids.map(textIn).find((id) => id?.startsWith('as:up:'));
};
