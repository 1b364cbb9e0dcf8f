import { StreamType } from '#entities/enums.js';
import { largestStreamId } from '#entities/variables.js';
import type { GatewayTopic } from './gateway.js';
import { PacketRefusal, ReasonCode } from './reason.js';
import type { VoiceTopic } from './voice.js';

/** The kind of messages that a topic carries. */
export type Topic =
  /** Telemetry of ThingsBoard's devices, and of its gateways. */
  | { kind: 'telemetry' | 'gateway' }
  /** Records in the native format. */
  | { kind: 'records' }
  /** Frames: the bytes that a device sends. */
  | { kind: 'frame'; streamId: number; streamType: StreamType }
  /** Answers, reports and requests of devices. */
  | VoiceTopic
  /** Messages of gateways about their devices. */
  | GatewayTopic
  /** Other messages of ThingsBoard's clients and of mosquitto's bridge, which are acknowledged and not stored. */
  | { kind: 'ignored' };

const fixed: ReadonlyMap<string, Topic> = new Map<string, Topic>([
  ['v1/devices/me/telemetry', { kind: 'telemetry' }],
  ['v1/gateway/telemetry', { kind: 'gateway' }],
  ['ddp/records', { kind: 'records' }],
  ['ddp/state/report', { kind: 'report' }],
  ['v1/devices/me/attributes', { kind: 'attributes' }],
  ['v1/devices/me/claim', { kind: 'ignored' }],
  ['v1/gateway/attributes', { kind: 'deviceAttributes' }],
  ['v1/gateway/attributes/request', { kind: 'deviceAttributeRequest' }],
  ['v1/gateway/rpc', { kind: 'deviceCallResult' }],
  ['v1/gateway/claim', { kind: 'ignored' }],
  ['v1/gateway/connect', { kind: 'deviceConnect' }],
  ['v1/gateway/disconnect', { kind: 'deviceDisconnect' }],
]);

/** Topics that are ignored and have a number or a name in them. Every other topic is refused. */
const ignored: readonly RegExp[] = [
  // Calls of the device, and requests for parts of a new firmware or software.
  /^v1\/devices\/me\/rpc\/request\/\d+$/,
  /^v2\/(fw|sw)\/request\/\d+\/chunk\/\d+$/,
  // The state of a bridge of mosquitto, which has its client identifier.
  /^\$SYS\/broker\/connection\/.+\/state$/,
];

const results = /^ddp\/commands\/([0-9a-f-]{36})\/result$/i;
const numbered = /^v1\/devices\/me\/(attributes\/request|rpc\/response)\/(\d{1,10})$/;
const frames = /^ddp\/frames\/(\d{1,3})\/([A-Z]{3})$/;

/**
 * Reads the name of a topic.
 * @throws PacketRefusal if the topic is unknown
 */
export function readTopic(name: string): Topic {
  const topic = fixed.get(name);
  if (topic !== undefined) return topic;
  const [, streamId = '', streamType = ''] = frames.exec(name) ?? [];
  const id = Number(streamId);
  if (streamId !== '' && id <= largestStreamId && Object.hasOwn(StreamType, streamType))
    return { kind: 'frame', streamId: id, streamType: streamType as StreamType };
  const [, commandId] = results.exec(name) ?? [];
  if (commandId !== undefined) return { kind: 'result', commandId };
  const [, what, number] = numbered.exec(name) ?? [];
  if (number !== undefined)
    return { kind: what === 'rpc/response' ? 'callResult' : 'attributeRequest', number: Number(number) };
  if (ignored.some((pattern) => pattern.test(name))) return { kind: 'ignored' };
  throw new PacketRefusal(
    ReasonCode.topicName,
    'Publish to v1/devices/me/telemetry, v1/gateway/telemetry, ddp/records, ddp/frames/<stream from 0 to 255>/<BIN|RAW|TXT>, ddp/state/report or ddp/commands/<id>/result.',
  );
}
