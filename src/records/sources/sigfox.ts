import type { PlainJson } from '#json/json.js';
import { readPayload } from '../decode/payload.js';
import type { PlainObject } from '../item.js';
import { bytesIn, numberIn, objectBody, type ReadSource, serialIn } from './source.js';

/** Reads a Sigfox callback DATA or BIDIR with a JSON template of its variables, which may send numbers as text. */
export const readSigfox: ReadSource = (body, onSerial) => {
  const event = objectBody(body);
  const payload = event.data;
  if (typeof payload !== 'string' || payload === 'null') return [];
  const device = serialIn(event.device, 'device', onSerial);
  const seconds = numberIn(event.time);
  const sequence = numberIn(event.seqNumber);
  return [
    {
      serials: [device, device.padStart(8, '0')],
      ...(seconds === undefined ? {} : { ts: seconds, tsPath: 'time' }),
      metadata: { ...given('rssi', event.rssi), ...given('snr', event.snr), provider: 'sigfox' },
      data: {},
      frame: { streamId: 'only', bytes: bytesIn(readPayload(payload, 'hex'), 'hex', 'data') },
      ...(seconds === undefined || sequence === undefined ? {} : { key: `${device}|${sequence}|${seconds}` }),
    },
  ];
};

const given = (name: string, value: PlainJson | undefined): PlainObject => {
  const number = numberIn(value);
  return number === undefined ? {} : { [name]: number };
};
