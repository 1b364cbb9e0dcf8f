import { illegalArgument, type Place } from '../../failure.js';

type Window = readonly number[];

const sum = (values: Window) => values.reduce((total, value) => total + value, 0);
const mean = (values: Window) => (values.length === 0 ? Number.NaN : sum(values) / values.length);
const functions: Readonly<Record<string, (values: Window, ...rest: number[]) => number>> = {
  max: (values) => (values.length === 0 ? Number.NaN : Math.max(...values)),
  min: (values) => (values.length === 0 ? Number.NaN : Math.min(...values)),
  sum,
  unweightedAvg: mean,
  stdDev: (values, around = mean(values)) =>
    values.length === 0 ? Number.NaN : Math.sqrt(mean(values.map((value) => (value - around) ** 2))),
  linearWeightedAvg: (values) => {
    if (values.length === 0) return Number.NaN;
    const weights = values.map((_, index) => index + 1);
    // The engines start the sum of weights at 1.
    return sum(values.map((value, index) => value * weights[index]!)) / (sum(weights) + 1);
  },
  ewma: (values, alpha = 0.3) =>
    values.length === 0 ? Number.NaN : values.reduce((average, value) => value * alpha + average * (1 - alpha)),
};

/** Removes surrounding blanks and a final semicolon from a script. */
const withoutEnd = (script: string): string => {
  const trimmed = script.trim();
  return trimmed.endsWith(';') ? trimmed.slice(0, -1).trimEnd() : trimmed;
};

/** Returns the function that a script of `moving_fn` names, such as `MovingFunctions.max(values)`. */
export const movingFunction = (script: string, place: Place): ((values: Window) => number) => {
  const [, name = '', given = ''] =
    /^(?:return\s+)?MovingFunctions\.(\w+)\(\s*values\b([^]*)\)$/.exec(withoutEnd(script)) ?? [];
  const [blank = '', ...arguments_] = given.split(',');
  const rest = arguments_.join(',');
  const found = Object.hasOwn(functions, name) ? functions[name] : undefined;
  const ownMean = /^\s*MovingFunctions\.unweightedAvg\(\s*values\s*\)\s*$/.test(rest);
  const numbers = ownMean || rest.trim() === '' ? [] : rest.split(',').map(Number);
  if (found === undefined || blank.trim() !== '' || numbers.some(Number.isNaN)) {
    throw illegalArgument(
      `[moving_fn] knows the scripts MovingFunctions.{${Object.keys(functions).join(', ')}}(values), but not [${script}]`,
      place,
    );
  }
  return (values) => found(values, ...numbers);
};
