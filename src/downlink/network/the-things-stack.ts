import { isId } from '#entities/id.js';
import type { PlainJson } from '#json/json.js';
import type { PlainObject } from '#records/item.js';
import { isObject, objectIn, textIn } from '#records/sources/source.js';
import { devEuiOf } from '#records/sources/the-things-stack.js';
import type { NewEvidence } from '../note-evidence.js';
import { type Dialect, type HeardEvidence, pathOf } from './dialect.js';

/** Beginning of the correlation ids that commands get at The Things Stack. */
const prefix = 'ddp:command:';

/** Returns the correlation id of a command. The Things Stack repeats it in all events about the command. */
const correlationId = (commandId: string): string => `${prefix}${commandId}`;

const down = (application: string, device: string) =>
  pathOf('api', 'v3', 'as', 'applications', application, 'devices', device, 'down');

/** Events about one downlink, and what they say. */
const events: Readonly<Record<string, Pick<NewEvidence, 'kind' | 'code'>>> = {
  downlink_queued: { kind: 'noted', code: 'QUEUED' },
  downlink_sent: { kind: 'transmitted' },
  downlink_ack: { kind: 'received' },
  // Not an end: the server queues it again.
  downlink_nack: { kind: 'noted', code: 'NOT_ACKNOWLEDGED' },
};

/** Returns the evidence about the command of a downlink (`ApplicationDownlink`); none if it is not one of ours. */
const about = (downlink: PlainJson | undefined, evidence: Omit<NewEvidence, 'source'>): HeardEvidence[] => {
  const { correlation_ids: ids } = objectIn(downlink);
  const own = (Array.isArray(ids) ? ids : []).map(textIn).find((id) => id?.startsWith(prefix));
  const commandId = own?.slice(prefix.length);
  return commandId !== undefined && isId(commandId)
    ? [{ about: { commandId }, evidence: { source: 'networkServer', ...evidence } }]
    : [];
};

/** Reads the evidence in an `ApplicationUp`. */
const evidenceIn = (event: PlainObject): HeardEvidence[] => {
  const { downlink_failed: failed, downlink_queue_invalidated: invalidated } = event;
  if (isObject(failed)) {
    const { namespace, name, message_format: format } = objectIn(failed.error);
    const detail = { error: { namespace: shortly(namespace), name: shortly(name), message: shortly(format) } };
    return about(failed.downlink, { kind: 'failed', code: 'DOWNLINK_FAILED', detail });
  }
  if (isObject(invalidated)) {
    const { downlinks } = invalidated;
    // It is no longer in the queue: nobody says whether it was sent.
    return (Array.isArray(downlinks) ? downlinks.slice(0, maxInvalidated) : []).flatMap((downlink) =>
      about(downlink, { kind: 'unknown', code: 'QUEUE_INVALIDATED' }),
    );
  }
  return Object.entries(events).flatMap(([kind, evidence]) =>
    isObject(event[kind]) ? about(event[kind], evidence) : [],
  );
};

/** Maximum number of downlinks of one event that are read. */
const maxInvalidated = 100;

const shortly = (value: PlainJson | undefined): string | undefined => textIn(value)?.slice(0, 200);

/** A device that no application has: the server checks the key before it looks for the device. */
const noDevice = 'ddp-test';

/** The Things Stack 3 (`ApplicationServer`, `applicationserver.proto`). */
export const theThingsStack: Dialect = {
  serialOf: devEuiOf,
  roadOf({ end_device_ids: ids }) {
    const { device_id: deviceId, application_ids: applicationIds } = objectIn(ids);
    const [application, device] = [textIn(objectIn(applicationIds).application_id), textIn(deviceId)];
    return application === undefined || device === undefined ? undefined : { application, device };
  },
  evidenceIn,
  push: (application, device, { id, payload, port, confirmed }) => ({
    method: 'POST',
    path: `${down(application, device)}/push`,
    body: {
      downlinks: [
        {
          frm_payload: payload.toString('base64'),
          f_port: port,
          confirmed,
          priority: 'NORMAL',
          correlation_ids: [correlationId(id)],
        },
      ],
    },
  }),
  itemOf: () => undefined,
  listQueue: (application, device) => ({ method: 'GET', path: down(application, device) }),
  isQueued: (answer, commandId) => JSON.stringify(answer).includes(`"${correlationId(commandId)}"`),
  // Pushes nothing, for which the key needs the same right.
  test: (application, device = noDevice) => ({
    method: 'POST',
    path: `${down(application, device)}/push`,
    body: { downlinks: [] },
  }),
  isTaken: (status, body) => (status >= 200 && status < 300) || (status === 404 && body.includes('device_not_found')),
};
