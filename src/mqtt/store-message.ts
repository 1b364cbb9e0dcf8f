import { EventEmitter } from 'node:events';
import type { IPublishPacket } from 'mqtt-packet';
import sql from 'sql-template-tag';
import { authorize } from '#auth/access.js';
import { policies } from '#auth/policies.js';
import { ApiError, notFound } from '#common/errors.js';
import type { Downlink } from '#downlink/downlink.js';
import type { Caller } from '#entities/caller.js';
import { decodeUtf8 } from '#http/body.js';
import type { Ending } from '#http/ending.js';
import type { Hold } from '#http/in-flight.js';
import { readStoredBody } from '#http/stored-body.js';
import type { PlainJson } from '#json/json.js';
import type { PlainLine } from '#json/plain.js';
import type { Item, Rejection } from '#records/item.js';
import { type OneDevice, readNative } from '#records/record-body.js';
import type { RecordLog } from '#records/record-log.js';
import { remarkOf } from '#records/remark.js';
import { storable } from '#records/sources/source.js';
import { readThingsBoardDevice, readThingsBoardGateway } from '#records/sources/thingsboard.js';
import type { Read } from '#schema/context.js';
import { requireScope } from '#schema/scope.js';
import { deviceOf, publishingDevice, type Sender } from './device.js';
import { type GatewayTopic, hearGateway } from './gateway.js';
import { refusalFor } from './reason.js';
import { readTopic, type Topic } from './topic.js';
import { type Heard, hear, type VoiceTopic } from './voice.js';

/** Functions of the service that store messages. */
export interface MessageStore {
  records: Pick<RecordLog, 'append'>;
  /** Takes what devices say of their commands and their state. */
  downlink: Downlink;
  /** Runs point reads. */
  read: Read;
  /**
   * Waits until a call of the organization may begin.
   * @throws ApiError 429
   */
  enter: (kind: 'ingest', caller: Caller, until: Ending) => Promise<void>;
  /** Opens a budget for the bytes of a message. */
  hold: (caller: Caller, until: Ending) => Hold;
}

/** A message in progress. It ends like a response, which is what the limits of requests listen to. */
export class Exchange extends EventEmitter implements Ending {
  closed = false;

  end(): void {
    this.closed = true;
    this.emit('close');
  }
}

/**
 * Stores a message and resolves when it is committed.
 * @throws PacketRefusal of its topic, Rejection if none of its records could be stored, and errors of the limits and the record
 * store
 */
export async function storeMessage(
  { records, downlink, read, enter, hold }: MessageStore,
  { topic: name, payload }: Pick<IPublishPacket, 'topic' | 'payload'>,
  { caller, clientId }: Sender,
): Promise<Heard> {
  const topic = readTopic(name);
  const isOfGateway = topic.kind === 'gateway' || isGatewayVoice(topic);
  requireSender(caller, isOfGateway ? 'organization' : 'device');
  if (topic.kind === 'ignored') return { isIgnored: true };
  const exchange = new Exchange();
  try {
    const bytes = payload as Buffer;
    holdBytes(hold(caller, exchange), bytes.length);
    const { organizationId } = caller;
    if (isGatewayVoice(topic)) {
      await enter('ingest', caller, exchange);
      return await hearGateway(topic, bytes, caller, { downlink, read });
    }
    if (isVoice(topic)) {
      await enter('ingest', caller, exchange);
      return await hear(topic, bytes, await publishingDevice({ caller, clientId }, read), { downlink, read });
    }
    const items = await readItems(topic, bytes, { caller, clientId, read });
    if (items.length === 0) return {};
    await enter('ingest', caller, exchange);
    const refusedIf = topic.kind === 'records' || topic.kind === 'gateway' ? 'all' : 'any';
    return { words: remarkOf(await records.append({ organizationId, items, refusedIf }), items.length) };
  } finally {
    exchange.end();
  }
}

/**
 * Counts bytes against the budgets. A message that exceeds them is refused, because it would have to be held while it
 * waits.
 */
export function holdBytes(hold: Hold, bytes: number): void {
  try {
    hold(bytes);
  } catch (error) {
    throw error instanceof ApiError ? refusalFor(error) : error;
  }
}

/**
 * Checks that the token may publish: at all, or as a gateway.
 * @throws ApiError 403
 */
export function requireSender(caller: Caller, ingests: 'device' | 'organization' = 'device'): void {
  requireScope(caller, { changes: true, ingests });
  authorize({ caller }, caller.organizationId, policies.record.ingest);
}

/** Topics of records. */
type RecordTopic = Exclude<Topic, VoiceTopic | GatewayTopic | { kind: 'ignored' }>;

const isGatewayVoice = (topic: Topic): topic is GatewayTopic => topic.kind.startsWith('device');

const isVoice = (topic: Exclude<Topic, GatewayTopic | { kind: 'ignored' }>): topic is VoiceTopic =>
  !recordKinds.has(topic.kind);

const recordKinds: ReadonlySet<Topic['kind']> = new Set(['telemetry', 'gateway', 'records', 'frame']);

async function readItems(
  topic: RecordTopic,
  bytes: Buffer,
  { caller, clientId, read }: Sender & { read: Read },
): Promise<(Item | Rejection)[]> {
  if (topic.kind === 'frame') {
    const { streamId, streamType } = topic;
    return [{ ...itemDevice({ caller, clientId }), metadata: {}, data: {}, frame: { streamId, streamType, bytes } }];
  }
  const isOurs = topic.kind === 'records';
  const rules = { lines: false, records: isOurs, severalValues: 'Send several records in one array.' };
  const body = await readStoredBody(decodeUtf8(bytes), rules, caller.organizationId);
  if (isOurs) return readNative(body as PlainLine | PlainLine[], await ownDevice(caller, read));
  const telemetry = storable(body as PlainJson);
  if (topic.kind === 'gateway') return readThingsBoardGateway(telemetry);
  const device = itemDevice({ caller, clientId });
  return readThingsBoardDevice(telemetry, '').map((item) => ({ ...item, ...device }));
}

/** Returns the publishing device as an item names it. */
function itemDevice(sender: Sender): Pick<Item, 'serials' | 'deviceId'> {
  const device = deviceOf(sender);
  return 'serial' in device ? { serials: [device.serial] } : { serials: [], deviceId: device.deviceId };
}

/** Returns the device of the token. */
async function ownDevice({ deviceId, organizationId }: Caller, read: Read): Promise<OneDevice | undefined> {
  if (deviceId === null) return undefined;
  const [device] = await read<OneDevice>(sql`
    select id, serial_key as "serialKey" from device where organization_id = ${organizationId} and id = ${deviceId}`);
  if (device === undefined) throw notFound('device');
  return device;
}
