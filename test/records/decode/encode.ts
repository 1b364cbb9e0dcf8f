import { VariableType } from '#entities/enums.js';
import { typeCodes } from '#records/decode/layout.js';
import type { Value } from '#records/decode/step.js';

type Encode = (value: Value) => Buffer;

const fixed =
  (width: number, write: (buffer: Buffer, value: Value) => void): Encode =>
  (value) => {
    const buffer = Buffer.alloc(width);
    write(buffer, value);
    return buffer;
  };

/** Returns the binary form of a value as a device writes it. */
export const encodeValue: Record<VariableType, Encode> = {
  BOOL: fixed(1, (buffer, value) => buffer.writeUInt8(value ? 1 : 0)),
  TXT: (value) => Buffer.from(String(value), 'utf8'),
  INT16: fixed(2, (buffer, value) => buffer.writeInt16BE(Number(value))),
  INT64: fixed(8, (buffer, value) => buffer.writeBigInt64BE(BigInt(value))),
  FLOAT32: fixed(4, (buffer, value) => buffer.writeFloatBE(Number(value))),
  UINT8: fixed(1, (buffer, value) => buffer.writeUInt8(Number(value))),
  UINT16: fixed(2, (buffer, value) => buffer.writeUInt16BE(Number(value))),
  UINT32: fixed(4, (buffer, value) => buffer.writeUInt32BE(Number(value))),
};

/** Returns a tagged value of a BIN frame. */
export const encodeTagged = (varNumber: number, type: VariableType, value: Value): Buffer => {
  const bytes = encodeValue[type](value);
  const head = [((varNumber - 1) << 3) | typeCodes.indexOf(type)];
  if (type === VariableType.TXT) head.push(bytes.length);
  return Buffer.concat([Buffer.from(head), bytes]);
};
