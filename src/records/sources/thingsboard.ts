import { invalid } from '../../errors.js';
import type { PlainJson } from '../../json.js';
import type { Item, PlainObject } from '../item.js';
import { isObject, numberIn } from './source.js';

/**
 * ThingsBoard, telemetry of one device: fields with or without `{ ts, values }` around them, one or an array of them. `ts` is
 * in milliseconds. The serial comes from the path.
 */
export const readThingsBoard = (body: PlainJson, serial: string): Item[] =>
  Array.isArray(body) ? body.map((item, index) => readItem(item, serial, `${index}`)) : [readItem(body, serial, '')];

const readItem = (item: PlainJson, serial: string, path: string): Item => {
  if (!isObject(item)) throw invalid([{ path, message: 'Telemetry is an object of values.' }]);
  const telemetry = { serials: [serial], metadata: { provider: 'thingsboard' } };
  if (!isObject(item.values) || !Object.keys(item).every((key) => key === 'ts' || key === 'values'))
    return { ...telemetry, data: item };
  return { ...telemetry, ...timestampOf(item, path), data: item.values };
};

const timestampOf = ({ ts }: PlainObject, path: string): { ts?: number } => {
  if (ts === undefined || ts === null) return {};
  const milliseconds = numberIn(ts);
  if (milliseconds === undefined)
    throw invalid([{ path: path === '' ? 'ts' : `${path}.ts`, message: 'A number of milliseconds is asked for.' }]);
  return { ts: milliseconds / 1000 };
};
