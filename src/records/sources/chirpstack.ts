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
 * Returns the reader of a ChirpStack v4 event, as its HTTP integration posts it in JSON with `?event=`
 * (`integration.proto`). Uplinks, states and locations become records; other events store nothing.
 */
export const readChirpStackEvent = (kind: string): ReadSource => readers.get(kind) ?? (() => []);

/** Reads an `UplinkEvent`, which ChirpStack posts with `?event=up`. */
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
        : { frame: { ...portIn(event.fPort), bytes: bytesIn(readPayload(payload, 'base64'), 'base64', 'data') } }),
      ...(key === undefined ? {} : { key }),
    },
  ];
};

/**
 * Reads a `StatusEvent`: battery in percent and margin in dB, as the device answered them. A battery of 0 means unknown
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

/** Reads a `LocationEvent`. */
const readLocation: ReadSource = (body, onSerial) => {
  const event = objectBody(body);
  const location = placeIn(event.location);
  return location === undefined
    ? []
    : [{ ...headOf(event, onSerial), ...eventOf('location', event), data: { location } }];
};

/** A map, because the kind is the caller's text: an object would also have a `valueOf`. */
const readers = new Map<string, ReadSource>([
  ['up', readChirpStack],
  ['status', readStatus],
  ['location', readLocation],
]);

const headOf = (event: PlainObject, onSerial?: (serial: string) => void): Pick<Item, 'serials' | 'ts' | 'tsPath'> => {
  const serial = serialIn(objectIn(event.deviceInfo).devEui, 'deviceInfo.devEui', onSerial);
  return { serials: [serial], ...timestampIn(['time', event.time]) };
};

/** A state comes in an uplink and shares its identifier, so the key includes the kind. */
const eventOf = (kind: string, event: PlainObject): Pick<Item, 'metadata' | 'key'> => {
  const id = textIn(event.deduplicationId);
  return { metadata: { provider, event: kind }, ...(id === undefined ? {} : { key: `${kind}|${id}` }) };
};

/** ChirpStack omits a frame counter of 0. */
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
