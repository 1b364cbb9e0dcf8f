import type { PlainObject } from '#records/item.js';
import { numberIn, objectIn, textIn } from '#records/sources/source.js';
import type { NewEvidence } from '../note-evidence.js';
import { type Dialect, type HeardEvidence, pathOf } from './dialect.js';

/** Codes of a `LogEvent` that end an item of the queue. */
const ends: Readonly<Record<string, Pick<NewEvidence, 'kind' | 'code'>>> = {
  EXPIRED: { kind: 'expired', code: 'QUEUE_EXPIRED' },
  DOWNLINK_PAYLOAD_SIZE: { kind: 'failed', code: 'PAYLOAD_SIZE' },
  F_CNT_DOWN: { kind: 'failed', code: 'FRAME_COUNTER' },
};

/** Reads what an event says about an item; undefined if it says nothing. */
const readEvent = (event: PlainObject, kind: string): Omit<NewEvidence, 'source'> | undefined => {
  if (kind === 'txack')
    return {
      kind: 'transmitted',
      detail: { gatewayId: textIn(event.gatewayId)?.slice(0, 100), fCntDown: numberIn(event.fCntDown) ?? 0 },
    };
  // An omitted `acknowledged` is false: the item is then no longer in the queue.
  if (kind === 'ack')
    return event.acknowledged === true ? { kind: 'received' } : { kind: 'failed', code: 'NOT_ACKNOWLEDGED' };
  const code = kind === 'log' ? textIn(event.code) : undefined;
  if (code === undefined || !Object.hasOwn(ends, code)) return undefined;
  return { ...ends[code]!, detail: { description: textIn(event.description)?.slice(0, 200) } };
};

const evidenceIn = (event: PlainObject, kind: string): HeardEvidence[] => {
  const item = kind === 'log' ? textIn(objectIn(event.context).queue_item_id) : textIn(event.queueItemId);
  const evidence = item === undefined ? undefined : readEvent(event, kind);
  return evidence === undefined || item!.length > 100
    ? []
    : [{ about: { item: item! }, evidence: { source: 'networkServer', ...evidence } }];
};

/** ChirpStack 4 by its REST API (`chirpstack-rest-api`, `device.proto`). */
export const chirpStack: Dialect = {
  serialOf: ({ deviceInfo }) => textIn(objectIn(deviceInfo).devEui),
  roadOf({ deviceInfo }) {
    const { applicationId, devEui } = objectIn(deviceInfo);
    const [application, device] = [textIn(applicationId), textIn(devEui)];
    return application === undefined || device === undefined ? undefined : { application, device };
  },
  evidenceIn,
  push: (_application, device, { payload, port, confirmed, expiresAt }) => ({
    method: 'POST',
    path: pathOf('api', 'devices', device, 'queue'),
    body: { queueItem: { confirmed, data: payload.toString('base64'), fPort: port, expiresAt } },
  }),
  itemOf(answer) {
    const id = typeof answer === 'object' && answer !== null && 'id' in answer ? answer.id : undefined;
    return typeof id === 'string' && id !== '' ? id.slice(0, 100) : undefined;
  },
  test: (application) => ({ method: 'GET', path: pathOf('api', 'applications', application) }),
  isTaken: (status) => status >= 200 && status < 300,
};
