import { readPayload } from '../decode/payload.js';
import {
  bytesIn,
  objectBody,
  objectIn,
  portIn,
  type ReadSource,
  reception,
  serialIn,
  textIn,
  timeIn,
} from './source.js';

/** ChirpStack v4, HTTP integration, `UplinkEvent` in JSON (the one that it posts with `?event=up`). */
export const readChirpStack: ReadSource = (body) => {
  const event = objectBody(body);
  const serial = serialIn(objectIn(event.deviceInfo).devEui, 'deviceInfo.devEui');
  const ts = timeIn(event.time);
  const payload = textIn(event.data);
  const key = textIn(event.deduplicationId);
  return [
    {
      serials: [serial],
      ...(ts === undefined ? {} : { ts }),
      metadata: { ...reception(event.rxInfo), provider: 'chirpstack' },
      data: objectIn(event.object),
      ...(payload === undefined
        ? {}
        : { frame: { ...portIn(event.fPort), bytes: bytesIn(readPayload(payload, 'base64'), 'data') } }),
      ...(key === undefined ? {} : { key }),
    },
  ];
};
