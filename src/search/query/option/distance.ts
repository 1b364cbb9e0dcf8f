import { illegalArgument, numberFormat } from '../../failure.js';
import type { Input } from '../../syntax/input.js';

const unitMetres: Readonly<Record<string, number>> = {
  m: 1,
  meters: 1,
  km: 1000,
  kilometers: 1000,
  cm: 0.01,
  centimeters: 0.01,
  mm: 0.001,
  millimeters: 0.001,
  mi: 1609.344,
  miles: 1609.344,
  yd: 0.9144,
  yards: 0.9144,
  ft: 0.3048,
  feet: 0.3048,
  in: 0.0254,
  inch: 0.0254,
  nmi: 1852,
  nm: 1852,
  nauticalmiles: 1852,
};

/** Returns the metres of a unit. */
export const metresOf = (unit: string, at: Input): number => {
  const name = unit.toLowerCase();
  if (!Object.hasOwn(unitMetres, name)) throw illegalArgument(`No distance unit match [${unit}]`, at);
  return unitMetres[name]!;
};

/** Converts a distance such as `12km` or `200` to metres. */
export const distanceOf = (value: string, at: Input, unit = 'm'): number => {
  if (value === '') throw illegalArgument('distance must not be null or empty', at);
  const [, amount, given = unit] = /^\s*(-?[\d.]+(?:[eE][+-]?\d+)?)\s*(?:([a-zA-Z]+)\s*)?$/.exec(value) ?? [];
  const isUnit = Object.hasOwn(unitMetres, given.toLowerCase());
  if (amount === undefined || Number.isNaN(Number(amount)) || !isUnit)
    throw illegalArgument(`failed to parse distance [${value}]`, at, numberFormat(value));
  return Number(amount) * metresOf(given, at);
};
