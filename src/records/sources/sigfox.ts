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

/** A callback SERVICE ACKNOWLEDGE: news of Sigfox about a downlink. */
export interface DownlinkAcknowledgement {
  serials: readonly string[];
  /** Time of the message that asked for the downlink, as Sigfox writes it; undefined without one. */
  time: number | undefined;
  /** Undefined if nothing is known yet. */
  isSent: boolean | undefined;
  /** Reason why it was not sent. */
  code: string | undefined;
  detail: PlainObject;
}

/** Reads the news of Sigfox about a downlink; undefined for another callback. */
export const readAcknowledgement = (body: PlainJson): DownlinkAcknowledgement | undefined => {
  const event = objectBody(body);
  const [info, device, said] = [numberIn(event.infoCode), textIn(event.device), textIn(event.infoMessage)];
  const acked = truthOf(event.downlinkAck);
  if (device === undefined || (info === undefined && acked === undefined)) return undefined;
  const isSent = info === undefined ? acked : info === pending ? undefined : info === 0;
  const overuse = truthOf(event.downlinkOverusage);
  return {
    serials: serialsOf(device),
    time: numberIn(event.time),
    isSent,
    code: isSent === false ? (failures.get(info ?? -1) ?? 'NOT_SENT') : undefined,
    detail: {
      ...(info !== undefined && { infoCode: info }),
      ...(said !== undefined && { infoMessage: said.slice(0, 200) }),
      ...(overuse !== undefined && { downlinkOverusage: overuse }),
    },
  };
};

/** Code of Sigfox for a downlink that is still to be sent. */
const pending = 5;

/** Reasons by the codes of Sigfox (`infoCode`). */
const failures: ReadonlyMap<number, string> = new Map([
  [1, 'ANSWER_TOO_LATE'],
  [2, 'INVALID_PAYLOAD'],
  [3, 'DAILY_ALLOWANCE'],
  [4, 'NETWORK_ERROR'],
  [6, 'NO_DOWNLINK_CONTRACT'],
  [7, 'TOO_MANY_REQUESTS'],
  [8, 'INVALID_CONFIGURATION'],
]);

const truthOf = (value: PlainJson | undefined): boolean | undefined =>
  value === true || value === 'true' ? true : value === false || value === 'false' ? false : undefined;

const serialsOf = (device: string): string[] => [device, device.padStart(8, '0')];

const given = (name: string, value: PlainJson | undefined): PlainObject => {
  const number = numberIn(value);
  return number === undefined ? {} : { [name]: number };
};
