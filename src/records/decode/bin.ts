import { VariableType } from '#entities/enums.js';
import { type Layout, typeCodes } from './layout.js';
import type { DecodeStep } from './step.js';
import { readFixed, readText, widths } from './value.js';

/**
 * Reads tagged binary: repeated tag bytes `((varNumber - 1) << 3) | type`, each with a big-endian value; a text is a
 * length byte and UTF-8. A variable that the layout lacks, or has with another type, is skipped by the width that its
 * tag gives.
 */
export const readBin = (bytes: Buffer, layout: Layout): DecodeStep[] => {
  const steps: DecodeStep[] = [];
  let start = 0;
  while (start < bytes.length) {
    const tag = bytes.readUInt8(start);
    const type = typeCodes[tag & 7]!;
    const varNumber = (tag >> 3) + 1;
    const place = layout.find((candidate) => candidate.varNumber === varNumber);
    const at = start + (type === VariableType.TXT ? 2 : 1);
    const end = at + (type === VariableType.TXT ? (bytes[start + 1] ?? 1) : widths[type]);
    const step = { offset: start, start, end: Math.min(end, bytes.length), variable: place?.name ?? varNumber };
    if (end > bytes.length) return [...steps, { ...step, warning: 'TRUNCATED' }];
    if (!place) steps.push({ ...step, warning: 'UNKNOWN_VARIABLE' });
    else if (place.type !== type) steps.push({ ...step, warning: 'TYPE_MISMATCH' });
    else if (type === VariableType.TXT) steps.push({ ...step, ...readText(bytes.subarray(at, end)) });
    else steps.push({ ...step, ...readFixed(type, bytes, at) });
    start = end;
  }
  return steps;
};
