import type { StreamType } from '../../entities/enums.js';
import { readBin } from './bin.js';
import { type DecodableVariable, type Layout, layoutOf } from './layout.js';
import { readRaw } from './raw.js';
import type { Step, Value, WarningCode } from './step.js';
import { readFields } from './text.js';

/** Bytes as a device sent them, and the stream that says how they are laid out. */
export interface Frame {
  streamId: number;
  streamType: StreamType;
  bytes: Buffer;
}

/** What was wrong with a part of a frame, and where; `variable` by name, else by number. */
export interface Warning {
  code: WarningCode;
  variable?: string | number;
  offset: number;
}

/** How decoding went: `ok` without warnings, `failed` when it gave no variable. */
export interface DecodeReport {
  status: 'ok' | 'partial' | 'failed';
  warnings?: Warning[];
}

/** The values that a frame holds, how reading them went, and each part of it in order. */
export interface Decoded {
  data: Record<string, Value>;
  report: DecodeReport;
  steps: Step[];
}

const readers: Record<StreamType, (bytes: Buffer, layout: Layout) => Step[]> = {
  BIN: readBin,
  RAW: readRaw,
  TXT: readFields,
};

/** Decodes a frame with a product's variables. Any bytes decode to a result: what cannot be read is a warning. */
export const decode = ({ streamId, streamType, bytes }: Frame, variables: readonly DecodableVariable[]): Decoded => {
  const layout = layoutOf(variables, streamId, streamType);
  const steps: Step[] =
    layout.length === 0
      ? [{ offset: 0, start: 0, end: bytes.length, warning: 'NO_LAYOUT' }]
      : markRepeated(readers[streamType](bytes, layout));
  const values = new Map<string, Value>();
  for (const { variable, value } of steps) if (value !== undefined) values.set(String(variable), value);
  const warnings = steps.flatMap(({ warning, variable, offset }) =>
    warning ? [{ code: warning, ...(variable === undefined ? {} : { variable }), offset }] : [],
  );
  // fromEntries defines each key as its own, a variable named __proto__ too.
  return { data: Object.fromEntries(values), report: reportOf(warnings, values.size), steps };
};

const reportOf = (warnings: Warning[], decoded: number): DecodeReport =>
  warnings.length === 0 ? { status: 'ok' } : { status: decoded === 0 ? 'failed' : 'partial', warnings };

/** Says of each further value of a variable that it is one; the last counts. */
const markRepeated = (steps: Step[]): Step[] => {
  const seen = new Set<Step['variable']>();
  return steps.map((step) => {
    if (step.value === undefined) return step;
    const repeated = seen.has(step.variable) && !step.warning;
    seen.add(step.variable);
    return repeated ? { ...step, warning: 'REPEATED' } : step;
  });
};
