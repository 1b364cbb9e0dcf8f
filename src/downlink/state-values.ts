import { type ApiError, type Fault, invalid } from '#common/errors.js';
import { isPlainValue, notPlain } from '#entities/attribute.js';
import { maxStateNames } from '#entities/device-state.js';
import type { StateDeclaration } from '#entities/product-command.js';
import { isStorable, unstorable } from '#entities/storable.js';
import type { Report } from './device-state.js';
import { valueFault } from './encode.js';

/** Returns faults of values of a device's state: of names, kinds and sizes, and of the types that the product declares. */
export const valueFaults = (
  at: string,
  values: Readonly<Record<string, unknown>>,
  declared: readonly StateDeclaration[] = [],
): Fault[] => {
  const types = new Map(declared.map(({ name, type }) => [name, type]));
  return Object.entries(values).flatMap(([name, value]): Fault[] => {
    const path = `${at}.${name}`;
    if (name === '' || name.length > 100) return [{ path: at, message: 'must have names of 1 to 100 characters' }];
    if (!isStorable(name)) return [{ path: at, message: `has a name that ${unstorable}` }];
    if (value === null) return [];
    if (typeof value === 'string' && !isStorable(value)) return [{ path, message: unstorable }];
    const type = types.get(name);
    const message = type !== undefined ? valueFault(value, type) : isPlainValue(value) ? undefined : notPlain;
    return message === undefined ? [] : [{ path, message }];
  });
};

/**
 * Reads what a device reports.
 * @param versions versions of desired values by name, which the device answers
 * @throws invalid
 */
export const readReports = (
  reported: Readonly<Record<string, unknown>>,
  versions: Readonly<Record<string, unknown>>,
): Report[] => {
  const faults = [...valueFaults('reported', reported), ...versionFaults(versions, reported)];
  if (faults.length > 0) throw invalid(faults);
  return Object.entries(reported).map(([name, value]) => ({
    name,
    value,
    version: (Object.hasOwn(versions, name) ? versions[name] : null) as number | null,
  }));
};

const versionFaults = (
  versions: Readonly<Record<string, unknown>>,
  reported: Readonly<Record<string, unknown>>,
): Fault[] =>
  Object.entries(versions).flatMap(([name, version]): Fault[] => {
    const path = `versions.${name}`;
    if (!Object.hasOwn(reported, name)) return [{ path, message: 'names no reported value' }];
    return Number.isInteger(version) && (version as number) >= 0 && (version as number) < 2 ** 31
      ? []
      : [{ path, message: 'must be a whole number' }];
  });

/** 422: the state of a device would have too many names. */
export const tooManyNames = (at: string, count: number): ApiError =>
  invalid([{ path: at, message: `a device has at most ${maxStateNames} names; this would make ${count}` }]);
