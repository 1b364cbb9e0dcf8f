import type { Fault } from '#common/errors.js';

/** Checks the value at a dotted path. Adds each fault to `faults`. */
export type ValueCheck = (value: unknown, path: string, faults: Fault[]) => void;

const must = (isMet: (value: unknown) => boolean, message: string): ValueCheck => {
  return (value, path, faults) => {
    if (!isMet(value)) faults.push({ path, message });
  };
};

/** Checks for a text with a length in this range. */
export const text = (from: number, to: number): ValueCheck =>
  must(
    (value) => typeof value === 'string' && value.length >= from && value.length <= to,
    `must be text of ${from} to ${to} characters`,
  );

/** Checks for a text that matches a pattern. */
export const pattern = (shape: RegExp, message: string): ValueCheck =>
  must((value) => typeof value === 'string' && shape.test(value), message);

/** Checks for a whole number in this range. */
export const whole = (from: number, to: number): ValueCheck =>
  must(
    (value) => Number.isInteger(value) && Number(value) >= from && Number(value) <= to,
    `must be a whole number from ${from} to ${to}`,
  );

/** Checks for a finite number. */
export const number: ValueCheck = must((value) => Number.isFinite(value), 'must be a number');

/** Checks for `true` or `false`. */
export const flag: ValueCheck = must((value) => typeof value === 'boolean', 'must be true or false');

/** Checks for one of these texts or numbers. */
export const choice = (...values: readonly (string | number)[]): ValueCheck =>
  must(
    (value) => values.includes(value as string),
    `must be ${values.map((each) => JSON.stringify(each)).join(' or ')}`,
  );

/** Checks for a list whose number of items is in this range. */
export const list = (item: ValueCheck, from: number, to: number): ValueCheck => {
  return (value, path, faults) => {
    if (!Array.isArray(value) || value.length < from || value.length > to)
      faults.push({ path, message: `must be a list of ${from} to ${to} items` });
    else for (const [index, each] of value.entries()) item(each, `${path}.${index}`, faults);
  };
};

/** Fields of an object. Those of `optional` may be absent; no field may be `null`. */
export interface ObjectShape {
  readonly required?: Readonly<Record<string, ValueCheck>>;
  readonly optional?: Readonly<Record<string, ValueCheck>>;
}

/** Checks for an object with these fields and no others. */
export const object = ({ required = {}, optional = {} }: ObjectShape): ValueCheck => {
  const checks = new Map(Object.entries({ ...required, ...optional }));
  return (value, path, faults) => {
    if (!isObject(value)) return void faults.push({ path, message: 'must be an object' });
    for (const name of Object.keys(required))
      if (!Object.hasOwn(value, name)) faults.push({ path: `${path}.${name}`, message: 'is missing' });
    for (const [name, each] of Object.entries(value)) {
      const check = checks.get(name);
      if (check === undefined) faults.push({ path: `${path}.${name}`, message: 'is an unknown field' });
      else check(each, `${path}.${name}`, faults);
    }
  };
};

/** Checks for an object whose fields depend on its `kind`. */
export const kinds = (shared: ObjectShape, byKind: Readonly<Record<string, ObjectShape>>): ValueCheck => {
  const names = Object.keys(byKind);
  const kind = choice(...names);
  const checks = new Map(
    names.map((name) => [
      name,
      object({
        required: { kind, ...shared.required, ...byKind[name]?.required },
        optional: { ...shared.optional, ...byKind[name]?.optional },
      }),
    ]),
  );
  return (value, path, faults) => {
    if (!isObject(value)) return void faults.push({ path, message: 'must be an object' });
    const check = checks.get(value['kind'] as string);
    if (check === undefined) kind(value['kind'], `${path}.kind`, faults);
    else check(value, path, faults);
  };
};

/** Runs several checks of one value in order, and stops after the first that finds a fault. */
export const inTurn = (...checks: readonly ValueCheck[]): ValueCheck => {
  return (value, path, faults) => {
    const before = faults.length;
    for (const check of checks) if (faults.length === before) check(value, path, faults);
  };
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
