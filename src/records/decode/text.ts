import { VariableType } from '#entities/enums.js';
import { longestNumber } from '#json/json.js';
import type { Layout } from './layout.js';
import type { DecodeStep, Reading } from './step.js';
import { exactInteger, readText, shortestFloat32 } from './value.js';

type IntegerBounds = readonly [bigint, bigint];

const integer =
  ([lowest, highest]: IntegerBounds) =>
  (text: string): Reading => {
    if (!/^[+-]?\d{1,64}$/.test(text)) return { warning: 'BAD_FIELD' };
    const value = BigInt(text.replace('+', ''));
    return value < lowest || value > highest ? { warning: 'OUT_OF_RANGE' } : { value: exactInteger(value) };
  };

const float32 = (text: string): Reading => {
  if (/^[+-]?(nan|inf|infinity)$/i.test(text)) return { warning: 'NOT_FINITE' };
  if (text.length > longestNumber || !/^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text))
    return { warning: 'BAD_FIELD' };
  const value = Math.fround(Number(text));
  return Number.isFinite(value) ? { value: shortestFloat32(value) } : { warning: 'OUT_OF_RANGE' };
};

const booleans: Partial<Record<string, boolean>> = { '1': true, true: true, '0': false, false: false };

const readers: Record<Exclude<VariableType, VariableType.TXT>, (text: string) => Reading> = {
  BOOL: (text) => {
    const value = booleans[text];
    return value === undefined ? { warning: 'BAD_BOOL' } : { value };
  },
  INT16: integer([-(2n ** 15n), 2n ** 15n - 1n]),
  INT64: integer([-(2n ** 63n), 2n ** 63n - 1n]),
  FLOAT32: float32,
  UINT8: integer([0n, 2n ** 8n - 1n]),
  UINT16: integer([0n, 2n ** 16n - 1n]),
  UINT32: integer([0n, 2n ** 32n - 1n]),
};

const readField = (type: VariableType, bytes: Buffer): Reading =>
  type === VariableType.TXT ? readText(bytes) : readers[type](bytes.toString('utf8').trim());

interface Field {
  /** Position in the frame, from 1. */
  number: number;
  start: number;
  end: number;
}

const semicolon = 0x3b;

/**
 * Splits a frame into its non-empty fields. A byte below 128 is never part of another UTF-8 character, so splitting
 * bytes is safe.
 */
const fieldsOf = (bytes: Buffer): Field[] => {
  const fields: Field[] = [];
  for (let start = 0, number = 1; start <= bytes.length; number++) {
    const next = bytes.indexOf(semicolon, start);
    const end = next < 0 ? bytes.length : next;
    if (end > start) fields.push({ number, start, end });
    start = end + 1;
  }
  return fields;
};

/** Returns `varNumber` and the length of the prefix `n=` of a field that is an assignment. */
const assignmentOf = (bytes: Buffer, { start, end }: Field): { varNumber: number; prefix: number } | undefined => {
  const found = /^(\d{1,9})=/.exec(bytes.toString('latin1', start, Math.min(end, start + 10)));
  return found ? { varNumber: Number(found[1]), prefix: found[0].length } : undefined;
};

/**
 * Reads text fields separated by `;`. Field i is variable i, and an empty field is a missing value. If every non-empty
 * field reads `n=value`, each names its variable itself.
 */
export const readFields = (bytes: Buffer, layout: Layout): DecodeStep[] => {
  const fields = fieldsOf(bytes);
  const assignments = fields.map((field) => assignmentOf(bytes, field));
  const assigned = assignments.every((assignment) => assignment !== undefined);
  return fields.flatMap((field, index): DecodeStep[] => {
    const { number, start, end } = field;
    const { varNumber, prefix } = (assigned && assignments[index]) || { varNumber: number, prefix: 0 };
    if (start + prefix === end) return [];
    const place = layout.find((candidate) => candidate.varNumber === varNumber);
    const step = { offset: number, start, end, variable: place?.name ?? varNumber };
    if (!place) return [{ ...step, warning: 'UNKNOWN_VARIABLE' }];
    return [{ ...step, ...readField(place.type, bytes.subarray(start + prefix, end)) }];
  });
};
