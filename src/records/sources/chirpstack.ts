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
  timestampIn,
} from './source.js';

const provider = 'chirpstack';

/**
 * ChirpStack v4, HTTP integration in JSON (`integration.proto`): what it posts with `?event=`. Uplinks, states and places
 * are records; its other events have nothing to store.
 */
export const readChirpStackEvent = (kind: string): ReadSource => readers.get(kind) ?? (() => []);

/** `UplinkEvent`, the one that it posts with `?event=up`. */
export const readChirpStack: ReadSource = (body, onSerial) => {
  const event = objectBody(body);
  const payload = textIn(event.data);
  const key = textIn(event.deduplicationId);
  return [
    {
      ...headOf(event, onSerial),
      metadata: { ...radioOf(event), provider },
      data: objectIn(event.object),
      ...(payload === undefined
        ? {}
        : { frame: { ...portIn(event.fPort), bytes: bytesIn(readPayload(payload, 'base64'), 'data') } }),
      ...(key === undefined ? {} : { key }),
    },
  ];
};

/**
 * `StatusEvent`: battery in percent and margin in dB, as the device answered them. A battery of 0 means that it is not known
 * (LoRaWAN 1.0.4, section 5.5: 0 is external power, 255 unknown); a margin of 0 is omitted.
 */
const readStatus: ReadSource = (body, onSerial) => {
  const event = objectBody(body);
  const battery = numberIn(event.batteryLevel);
  return [
    {
      ...headOf(event, onSerial),
      ...eventOf('status', event),
      data: { ...(battery ? { battery } : {}), margin: numberIn(event.margin) ?? 0 },
    },
  ];
};

/** `LocationEvent`. */
const readLocation: ReadSource = (body, onSerial) => {
  const event = objectBody(body);
  const location = placeIn(event.location);
  return location === undefined
    ? []
    : [{ ...headOf(event, onSerial), ...eventOf('location', event), data: { location } }];
};

/** A map, since the kind is the caller's text: an object would also answer for `valueOf`. */
const readers = new Map<string, ReadSource>([
  ['up', readChirpStack],
  ['status', readStatus],
  ['location', readLocation],
]);

const headOf = (event: PlainObject, onSerial?: (serial: string) => void): Pick<Item, 'serials' | 'ts' | 'tsPath'> => {
  const serial = serialIn(objectIn(event.deviceInfo).devEui, 'deviceInfo.devEui', onSerial);
  return { serials: [serial], ...timestampIn(['time', event.time]) };
};

/** A state comes in an uplink and has its identifier. */
const eventOf = (kind: string, event: PlainObject): Pick<Item, 'metadata' | 'key'> => {
  const id = textIn(event.deduplicationId);
  return { metadata: { provider, event: kind }, ...(id === undefined ? {} : { key: `${kind}|${id}` }) };
};

/** A frame counter of 0 is omitted. */
const radioOf = ({ fCnt, rxInfo, txInfo }: PlainObject): PlainObject => {
  const { frequency, modulation } = objectIn(txInfo);
  const { lora, fsk, lrFhss } = objectIn(modulation);
  return {
    ...receptionOf(rxInfo, ({ gatewayId }) => gatewayId),
    fCnt: numberIn(fCnt) ?? 0,
    ...dataRateOf({
      ...(isObject(lora) && { lora: { spreadingFactor: lora.spreadingFactor, bandwidth: lora.bandwidth } }),
      ...(isObject(fsk) && { fsk: { bitRate: fsk.datarate } }),
      ...(isObject(lrFhss) && { lrFhss: { width: lrFhss.operatingChannelWidth } }),
    }),
    ...frequencyOf(frequency),
  };
};
