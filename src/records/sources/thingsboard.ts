import { ApiError, invalid, malformed } from '#common/errors.js';
import type { PlainJson } from '#json/json.js';
import { type Item, type PlainObject, Rejection, rejectionError } from '../item.js';
import { below, isObject, numberIn } from './source.js';

/**
 * Reads ThingsBoard's telemetry: fields, or `{ ts, values }`, one or an array of them; `ts` is in milliseconds. It
 * belongs to the device of the path. A gateway's form, `{ "<serial>": [telemetry, ...], ... }`, is recognized by its
 * shape; its devices are named by their serials. Numbers written as text stay text. Items without values store nothing.
 */
export const readThingsBoard = (body: PlainJson, serial: string): (Item | Rejection)[] =>
  isGatewayForm(body) ? readGateway(body) : readThingsBoardDevice(body, serial);

/** Reads the telemetry of one device, whatever its shape. */
export const readThingsBoardDevice = (body: PlainJson, serial: string): Item[] =>
  Array.isArray(body) ? body.flatMap((item, index) => readItem(item, serial, `${index}`)) : readItem(body, serial, '');

/**
 * Reads the telemetry of a gateway's devices, by their serials. What is wrong with one of them is a rejection.
 * @throws ApiError 400 for another shape, ApiError 422 if everything is rejected
 */
export const readThingsBoardGateway = (body: PlainJson): (Item | Rejection)[] => {
  if (!isObject(body)) throw malformed(gatewayShape);
  return readGateway(body);
};

const gatewayShape = 'A gateway sends {"<serial>": [{"ts": ..., "values": {...}}, ...], ...}.';

const readGateway = (body: PlainObject): (Item | Rejection)[] => {
  const items = Object.entries(body).flatMap(([device, telemetry]) => readOfGateway(device, telemetry));
  const [first] = items;
  if (first instanceof Rejection && items.every((item) => item instanceof Rejection)) throw rejectionError(first);
  return items;
};

const readOfGateway = (device: string, telemetry: PlainJson): (Item | Rejection)[] => {
  const path = device.slice(0, 100);
  if (!Array.isArray(telemetry)) return [rejection(path, gatewayShape)];
  if (!isSerial(device)) return telemetry.map(() => rejection(path, noSerial));
  return telemetry.flatMap((item, index): (Item | Rejection)[] => {
    try {
      return readItem(item, device, `${device}.${index}`);
    } catch (error) {
      const [fault] = error instanceof ApiError ? (error.errors ?? []) : [];
      if (fault === undefined) throw error;
      return [rejection(fault.path, fault.message)];
    }
  });
};

const rejection = (path: string, message: string): Rejection =>
  new Rejection('VALIDATION_FAILED', `${path}: ${message}`, { path, message });

const noSerial =
  'This is not a serial: a gateway names its devices by their serials. To store arrays of objects as values, send them in "values".';

const isSerial = (name: string): boolean => /^[0-9a-f]+(-[0-9a-f]+)*$/i.test(name) && name.length <= 64;

/** Whether every field is an array of objects, like the telemetry of a gateway's devices, and some device has any. */
export const isGatewayForm = (body: PlainJson): body is Record<string, PlainObject[]> => {
  if (!isObject(body)) return false;
  const fields = Object.values(body);
  return (
    fields.every((items) => Array.isArray(items) && items.every(isObject)) &&
    fields.some((items) => (items as PlainJson[]).length > 0)
  );
};

const readItem = (item: PlainJson, serial: string, path: string): Item[] => {
  if (!isObject(item)) throw invalid([{ path, message: 'Telemetry must be an object of values.' }]);
  const { ts, values, ...fields } = item;
  // ThingsBoard also ignores what stands beside `ts` and `values`.
  const isEnvelope = isObject(values) && (ts !== undefined || Object.keys(fields).length === 0);
  const data = isEnvelope ? values : { ...fields, ...(values !== undefined && { values }) };
  const timestamp = timestampOf(ts, below(path, 'ts'));
  if (Object.keys(data).length === 0) return [];
  return [{ serials: [serial], ...timestamp, metadata: { provider: 'thingsboard' }, data }];
};

const timestampOf = (ts: PlainJson | undefined, tsPath: string): Pick<Item, 'ts' | 'tsPath'> => {
  if (ts === undefined || ts === null) return {};
  const milliseconds = numberIn(ts);
  if (milliseconds === undefined) throw invalid([{ path: tsPath, message: 'Send a number of milliseconds.' }]);
  return { ts: milliseconds / 1000, tsPath };
};
