import type { Fault } from '#common/errors.js';
import { StreamType, VariableType } from '#entities/enums.js';
import type { CommandParameter } from '#entities/product-command.js';
import { isStorable } from '#entities/storable.js';
import { typeCodes } from '#records/decode/layout.js';
import { type FixedType, shortestFloat32, widths } from '#records/decode/value.js';

/** Values of parameters by name. Integers beyond 2^53 are decimal text. */
export type ParameterValues = Readonly<Record<string, unknown>>;

/** Maximum number of bytes of a text of a command. */
const maxTextBytes = 255;

const integers: Partial<Record<VariableType, readonly [bigint, bigint]>> = {
  INT16: [-(2n ** 15n), 2n ** 15n - 1n],
  INT64: [-(2n ** 63n), 2n ** 63n - 1n],
  UINT8: [0n, 2n ** 8n - 1n],
  UINT16: [0n, 2n ** 16n - 1n],
  UINT32: [0n, 2n ** 32n - 1n],
};

/** Returns what is wrong with a value of a type; undefined if nothing is. */
export function valueFault(value: unknown, type: VariableType): string | undefined {
  if (type === VariableType.BOOL) return typeof value === 'boolean' ? undefined : 'must be true or false';
  if (type === VariableType.TXT)
    return typeof value === 'string' && Buffer.byteLength(value) <= maxTextBytes && isStorable(value)
      ? undefined
      : `must be a text of at most ${maxTextBytes} bytes`;
  if (type === VariableType.FLOAT32)
    return typeof value === 'number' && Number.isFinite(Math.fround(value)) ? undefined : 'must be a number of 32 bits';
  const [lowest, highest] = integers[type]!;
  const whole = wholeOf(value);
  return whole !== undefined && whole >= lowest && whole <= highest
    ? undefined
    : `must be a whole number from ${lowest} to ${highest}`;
}

const wholeOf = (value: unknown): bigint | undefined => {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  return typeof value === 'string' && /^-?\d{1,19}$/.test(value) ? BigInt(value) : undefined;
};

/** Returns the faults of the values of a command's parameters: a missing or unknown one, one of another type. */
export function parameterFaults(declared: readonly CommandParameter[], values: ParameterValues): Fault[] {
  const known = new Set(declared.map(({ name }) => name));
  return [
    ...Object.keys(values)
      .filter((name) => !known.has(name))
      .map((name) => ({ path: `parameters.${name}`, message: 'is not a parameter of this command' })),
    ...declared.flatMap(({ name, type }): Fault[] => {
      const path = `parameters.${name}`;
      if (!Object.hasOwn(values, name)) return [{ path, message: 'is required' }];
      const message = valueFault(values[name], type);
      return message === undefined ? [] : [{ path, message }];
    }),
  ];
}

/**
 * Encodes the parameters of a command as a device of the product would send them: parameter i is variable i of the
 * layout. The values have no {@link parameterFaults}.
 * @throws EncodingError for values that the layout cannot hold
 */
export function encode(streamType: StreamType, declared: readonly CommandParameter[], values: ParameterValues): Buffer {
  const parts = declared.map(({ name, type }) => ({ name, type, value: values[name] }));
  if (streamType === StreamType.BIN) return Buffer.concat(parts.map(tagged));
  if (streamType === StreamType.RAW)
    return Buffer.concat(
      parts.map(({ name, type, value }) =>
        type === VariableType.TXT ? hexOf(name, value as string) : fixed(type, value),
      ),
    );
  return Buffer.from(parts.map(({ name, type, value }) => field(name, type, value)).join(';'));
}

/** A value that a layout cannot hold. */
export class EncodingError extends Error {
  constructor(
    readonly parameter: string,
    message: string,
  ) {
    super(message);
  }
}

interface Part {
  name: string;
  type: VariableType;
  value: unknown;
}

const tagged = ({ type, value }: Part, index: number): Buffer => {
  const tag = Buffer.from([(index << 3) | typeCodes.indexOf(type)]);
  if (type !== VariableType.TXT) return Buffer.concat([tag, fixed(type, value)]);
  const text = Buffer.from(value as string);
  return Buffer.concat([tag, Buffer.from([text.length]), text]);
};

const hexOf = (name: string, text: string): Buffer => {
  if (!/^([0-9a-f]{2})*$/i.test(text)) throw new EncodingError(name, 'must be hexadecimal digits in a RAW stream');
  return Buffer.from(text, 'hex');
};

const field = (name: string, type: VariableType, value: unknown): string => {
  if (type === VariableType.FLOAT32) return String(shortestFloat32(Math.fround(value as number)));
  if (type !== VariableType.TXT) return String(value);
  const text = value as string;
  if (text === '' || text.includes(';') || /^\d{1,9}=/.test(text))
    throw new EncodingError(name, 'must not be empty, contain ";" or begin like "1=" in a TXT stream');
  return text;
};

const writers: Record<FixedType, (bytes: Buffer, value: unknown) => void> = {
  BOOL: (bytes, value) => void bytes.writeUInt8(value === true ? 1 : 0),
  INT16: (bytes, value) => void bytes.writeInt16BE(Number(value)),
  INT64: (bytes, value) => void bytes.writeBigInt64BE(wholeOf(value)!),
  FLOAT32: (bytes, value) => void bytes.writeFloatBE(value as number),
  UINT8: (bytes, value) => void bytes.writeUInt8(Number(value)),
  UINT16: (bytes, value) => void bytes.writeUInt16BE(Number(value)),
  UINT32: (bytes, value) => void bytes.writeUInt32BE(Number(value)),
};

const fixed = (type: VariableType, value: unknown): Buffer => {
  const bytes = Buffer.alloc(widths[type as FixedType]);
  writers[type as FixedType](bytes, value);
  return bytes;
};
