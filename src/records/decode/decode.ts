import type { StreamType } from '#entities/enums.js';
import { readBin } from './bin.js';
import { type DecodableVariable, type Layout, layoutOf } from './layout.js';
import { readRaw } from './raw.js';
import type { DecodeStep, Value, WarningCode } from './step.js';
import { readFields } from './text.js';

/** Bytes as a device sent them, and the stream that determines their layout. */
export interface Frame {
  streamId: number;
  streamType: StreamType;
  bytes: Buffer;
}

/** A fault of a part of a frame, and its position. `variable` is a name, or a number if the layout lacks it. */
export interface Warning {
  code: WarningCode;
  variable?: string | number;
  offset: number;
}

/** Result of decoding: `ok` without warnings, `failed` if it yielded no variable. */
export interface DecodeReport {
  status: 'ok' | 'partial' | 'failed';
  warnings?: Warning[];
}

/** Values of a frame, the report of reading them, and each part in order. */
export interface Decoded {
  data: Record<string, Value>;
  report: DecodeReport;
  steps: DecodeStep[];
}

const readers: Record<StreamType, (bytes: Buffer, layout: Layout) => DecodeStep[]> = {
  BIN: readBin,
  RAW: readRaw,
  TXT: readFields,
};

/** Decodes a frame by a product's variables. Any bytes decode to a result; unreadable parts become warnings. */
export const decode = ({ streamId, streamType, bytes }: Frame, variables: readonly DecodableVariable[]): Decoded => {
  const layout = layoutOf(variables, streamId, streamType);
  const steps: DecodeStep[] =
    layout.length === 0
      ? [{ offset: 0, start: 0, end: bytes.length, warning: 'NO_LAYOUT' }]
      : markRepeated(readers[streamType](bytes, layout));
  const values = new Map<string, Value>();
  for (const { variable, value } of steps) if (value !== undefined) values.set(String(variable), value);
  const warnings = steps.flatMap(({ warning, variable, offset }) =>
    warning ? [{ code: warning, ...(variable === undefined ? {} : { variable }), offset }] : [],
  );
  // fromEntries defines each key as an own property, even for a variable named __proto__.
  return { data: Object.fromEntries(values), report: reportOf(warnings, values.size), steps };
};

const reportOf = (warnings: Warning[], decoded: number): DecodeReport =>
  warnings.length === 0 ? { status: 'ok' } : { status: decoded === 0 ? 'failed' : 'partial', warnings };

/** Adds a warning to repeated values of a variable. The last value counts. */
const markRepeated = (steps: DecodeStep[]): DecodeStep[] => {
  const seen = new Set<DecodeStep['variable']>();
  return steps.map((step) => {
    if (step.value === undefined) return step;
    const repeated = seen.has(step.variable) && !step.warning;
    seen.add(step.variable);
    return repeated ? { ...step, warning: 'REPEATED' } : step;
  });
};
