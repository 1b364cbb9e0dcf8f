import { type Packet, parser } from 'mqtt-packet';
import { Reason, Refusal } from './reason.js';

/** Versions of the protocol by their number on the wire: 3.1.1 and 5. */
export type ProtocolVersion = 4 | 5;

/** Bytes of a packet that a client of ours may send, at most. */
export const maxPacketBytes = 2 ** 20;
/** Bytes of a packet that holds no payload, at most: of a CONNECT too, whose will is not published. */
const maxOtherBytes = 16 * 1024;
/** Bytes of the properties of a message, at most: reading many small ones takes the event loop. */
const maxPropertyBytes = 4096;

const publishType = 3;

/** Bytes as they come, cut into packets. What is held is at most one packet that is not complete, and one chunk. */
export class PacketBuffer {
  private chunks: Buffer[] = [];
  private size = 0;
  /** Bytes of the next packet, once its length has come. */
  private wanted: number | undefined;

  /** @param maxBytes of a packet with a payload */
  constructor(private readonly maxBytes = maxPacketBytes) {}

  /** Whether a part of a packet waits for the rest. */
  get isPartial(): boolean {
    return this.size > 0;
  }

  add(chunk: Buffer): void {
    this.chunks.push(chunk);
    this.size += chunk.length;
  }

  /**
   * Whether the next packet is complete.
   * @param withPayload whether a message may come; before CONNECT nothing large may.
   * @throws Refusal as soon as its length says that it is too large
   */
  hasPacket(withPayload: boolean): boolean {
    this.wanted ??= this.readLength(withPayload);
    return this.wanted !== undefined && this.size >= this.wanted;
  }

  /** Takes the next packet out; there must be one. */
  take(): Buffer {
    const all = this.join();
    const packet = all.subarray(0, this.wanted);
    this.chunks = all.length > packet.length ? [all.subarray(packet.length)] : [];
    this.size -= packet.length;
    this.wanted = undefined;
    return packet;
  }

  /** Lets go of everything. */
  clear(): void {
    this.chunks = [];
    this.size = 0;
    this.wanted = undefined;
  }

  private join(): Buffer {
    const [first] = this.chunks;
    const all = this.chunks.length === 1 ? first! : Buffer.concat(this.chunks, this.size);
    this.chunks = [all];
    return all;
  }

  private readLength(withPayload: boolean): number | undefined {
    if (this.size < 2) return undefined;
    const bytes = this.join();
    const length = readVariable(bytes, 1);
    if (length === undefined) return undefined;
    const total = length.end + length.value;
    const max = withPayload && bytes[0]! >> 4 === publishType ? this.maxBytes : maxOtherBytes;
    if (total > max) throw new Refusal(Reason.packetTooLarge, `A packet of this kind has at most ${max} bytes.`);
    return total;
  }
}

/**
 * Reads one packet, which is complete. Nothing of it is kept between packets, so that a broken one spoils no other.
 * @throws Refusal where it is broken
 */
export function readPacket(bytes: Buffer, protocolVersion: ProtocolVersion): Packet {
  if (protocolVersion === 5) limitProperties(bytes);
  let packet: Packet | undefined;
  const fail = (error: unknown): never => {
    throw new Refusal(Reason.malformed, error instanceof Error ? error.message : 'The packet is broken.');
  };
  const reader = parser({ protocolVersion });
  reader.on('packet', (read) => {
    packet = read;
  });
  reader.on('error', fail);
  try {
    reader.parse(bytes);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    fail(error);
  }
  return packet ?? fail(undefined);
}

/** A variable byte integer and where it ends (MQTT 5.0, section 1.5.5); undefined where it is not complete. */
function readVariable(bytes: Buffer, start: number): { value: number; end: number } | undefined {
  let value = 0;
  for (let index = 0; index < 4; index++) {
    const byte = bytes[start + index];
    if (byte === undefined) return undefined;
    value += (byte & 0x7f) * 128 ** index;
    if (byte < 0x80) return { value, end: start + index + 1 };
  }
  throw new Refusal(Reason.malformed, 'The length of the packet is broken.');
}

/** Of a message; other packets are small anyway. */
function limitProperties(bytes: Buffer): void {
  if (bytes[0]! >> 4 !== publishType) return;
  const start = readVariable(bytes, 1)!.end;
  if (bytes.length < start + 2) return;
  const hasIdentifier = (bytes[0]! & 0b110) !== 0;
  const properties = readVariable(bytes, start + 2 + bytes.readUInt16BE(start) + (hasIdentifier ? 2 : 0));
  if (properties === undefined) throw new Refusal(Reason.malformed, 'The message ends within its properties.');
  if (properties.value > maxPropertyBytes)
    throw new Refusal(Reason.packetTooLarge, `The properties of a message have at most ${maxPropertyBytes} bytes.`);
}

/** @throws Refusal where a packet that must have an identifier has none */
export function requireIdentifier(messageId: number): void {
  if (messageId < 1) throw new Refusal(Reason.protocolError, 'A packet of this kind has an identifier.');
}
