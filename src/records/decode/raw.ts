import { VariableType } from '#entities/enums.js';
import type { Layout } from './layout.js';
import type { DecodeStep } from './step.js';
import { readFixed, widths } from './value.js';

/**
 * Reads positional binary: the values of the layout in sequence, big-endian, without tags. A text takes the remaining
 * bytes as lower-case hexadecimal. A frame may end between two values; the others are then missing.
 */
export const readRaw = (bytes: Buffer, layout: Layout): DecodeStep[] => {
  const steps: DecodeStep[] = [];
  let start = 0;
  for (const { name, type } of layout) {
    if (start === bytes.length) return steps;
    const end = type === VariableType.TXT ? bytes.length : start + widths[type];
    const step = { offset: start, start, end: Math.min(end, bytes.length), variable: name };
    if (end > bytes.length) return [...steps, { ...step, warning: 'TRUNCATED' }];
    if (type === VariableType.TXT) steps.push({ ...step, value: bytes.toString('hex', start, end) });
    else steps.push({ ...step, ...readFixed(type, bytes, start) });
    start = end;
  }
  if (start < bytes.length) steps.push({ offset: start, start, end: bytes.length, warning: 'TRAILING_BYTES' });
  return steps;
};
