import type { PlainJson } from '#json/json.js';
import { readPayload } from '../decode/payload.js';
import type { PlainObject } from '../item.js';
import { bytesIn, numberIn, objectBody, type ReadSource, serialIn, textIn } from './source.js';

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
      serials: serialsOf(device),
      ...(seconds === undefined ? {} : { ts: seconds, tsPath: 'time' }),
      metadata: { ...given('rssi', event.rssi), ...given('snr', event.snr), provider: 'sigfox' },
      data: {},
      frame: { streamId: 'only', bytes: bytesIn(readPayload(payload, 'hex'), 'hex', 'data') },
      ...(seconds === undefined || sequence === undefined ? {} : { key: `${device}|${sequence}|${seconds}` }),
    },
  ];
};

/** A callback that asks for a downlink. */
export interface DownlinkRequest {
  /** Identifier of the device, as Sigfox writes it. */
  device: string;
  serials: readonly string[];
  /** Text that is the same whenever Sigfox repeats the callback. */
  call: string;
}

/**
 * Reads whether a callback asks for a downlink: `ack` is true. A request needs `time` and `seqNumber`, because a
 * repetition could not be told from a new one without them.
 */
export const readDownlinkRequest = (body: PlainJson): DownlinkRequest | undefined => {
  const event = objectBody(body);
  const [time, sequence, device] = [numberIn(event.time), numberIn(event.seqNumber), textIn(event.device)];
  const asks = event.ack === true || event.ack === 'true';
  if (!asks || time === undefined || sequence === undefined || device === undefined) return undefined;
  return { device, serials: serialsOf(device), call: `${time}|${sequence}` };
};

const serialsOf = (device: string): string[] => [device, device.padStart(8, '0')];

const given = (name: string, value: PlainJson | undefined): PlainObject => {
  const number = numberIn(value);
  return number === undefined ? {} : { [name]: number };
};
