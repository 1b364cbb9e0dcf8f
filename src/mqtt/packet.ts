import { type Packet, parser } from 'mqtt-packet';
import { PacketRefusal, ReasonCode } from './reason.js';

/** Versions of the protocol by their number on the wire: 3.1.1 and 5. */
export type ProtocolVersion = 4 | 5;

/** Maximum size of a packet of a client, in bytes. */
export const maxPacketBytes = 2 ** 20;
/** Maximum size of a packet without a payload, in bytes. It also applies to CONNECT, whose will is not published. */
const maxOtherBytes = 16 * 1024;
/** Maximum size of the properties of a message, in bytes: reading many small ones blocks the event loop. */
const maxPropertyBytes = 4096;

const publishType = 3;

/** Cuts received bytes into packets. It holds at most one incomplete packet and one chunk. */
export class PacketBuffer {
  private chunks: Buffer[] = [];
  private size = 0;
  /** Size of the next packet in bytes, once its length was received. */
  private wanted: number | undefined;

  /** @param maxBytes maximum size of a packet with a payload */
  constructor(private readonly maxBytes = maxPacketBytes) {}

  /** Whether it holds a part of a packet. */
  get isPartial(): boolean {
    return this.size > 0;
  }

  add(chunk: Buffer): void {
    this.chunks.push(chunk);
    this.size += chunk.length;
  }

  /**
   * Whether the next packet is complete.
   * @param withPayload whether a message may come; before CONNECT, packets must be small
   * @throws PacketRefusal as soon as the received length exceeds the maximum
   */
  hasPacket(withPayload: boolean): boolean {
    this.wanted ??= this.readLength(withPayload);
    return this.wanted !== undefined && this.size >= this.wanted;
  }

  /** Removes and returns the next packet, which must be complete. */
  take(): Buffer {
    const all = this.join();
    const packet = all.subarray(0, this.wanted);
    this.chunks = all.length > packet.length ? [all.subarray(packet.length)] : [];
    this.size -= packet.length;
    this.wanted = undefined;
    return packet;
  }

  /** Drops all bytes. */
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
    if (total > max)
      throw new PacketRefusal(ReasonCode.packetTooLarge, `A packet of this kind has at most ${max} bytes.`);
    return total;
  }
}

/**
 * Reads one complete packet. Each call uses a new parser, so that a broken packet does not affect others.
 * @throws PacketRefusal if the packet is broken
 */
export function readPacket(bytes: Buffer, protocolVersion: ProtocolVersion): Packet {
  if (protocolVersion === 5) limitProperties(bytes);
  let packet: Packet | undefined;
  const fail = (error: unknown): never => {
    throw new PacketRefusal(ReasonCode.malformed, error instanceof Error ? error.message : 'The packet is malformed.');
  };
  const reader = parser({ protocolVersion });
  reader.on('packet', (read) => {
    packet = read;
  });
  reader.on('error', fail);
  try {
    reader.parse(bytes);
  } catch (error) {
    if (error instanceof PacketRefusal) throw error;
    fail(error);
  }
  return packet ?? fail(undefined);
}

/** Reads a variable byte integer and its end (MQTT 5.0, section 1.5.5). Returns undefined if it is not complete. */
function readVariable(bytes: Buffer, start: number): { value: number; end: number } | undefined {
  let value = 0;
  for (let index = 0; index < 4; index++) {
    const byte = bytes[start + index];
    if (byte === undefined) return undefined;
    value += (byte & 0x7f) * 128 ** index;
    if (byte < 0x80) return { value, end: start + index + 1 };
  }
  throw new PacketRefusal(ReasonCode.malformed, 'The length of the packet is malformed.');
}

/** Checks the size of a message's properties. Other packets are small anyway. */
function limitProperties(bytes: Buffer): void {
  if (bytes[0]! >> 4 !== publishType) return;
  const start = readVariable(bytes, 1)!.end;
  if (bytes.length < start + 2) return;
  const hasIdentifier = (bytes[0]! & 0b110) !== 0;
  const properties = readVariable(bytes, start + 2 + bytes.readUInt16BE(start) + (hasIdentifier ? 2 : 0));
  if (properties === undefined)
    throw new PacketRefusal(ReasonCode.malformed, 'The message ends within its properties.');
  if (properties.value > maxPropertyBytes)
    throw new PacketRefusal(
      ReasonCode.packetTooLarge,
      `The properties of a message have at most ${maxPropertyBytes} bytes.`,
    );
}

/** @throws PacketRefusal if a packet that must have an identifier has none */
export function requireIdentifier(messageId: number): void {
  if (messageId < 1)
    throw new PacketRefusal(ReasonCode.protocolError, 'A packet of this kind must have an identifier.');
}
