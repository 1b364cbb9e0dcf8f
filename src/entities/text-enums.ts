import { registerEnumType } from 'type-graphql';

/* Sets of words that are enums in GraphQL and plain text on REST (`restScalar`). If the REST schema listed the
   words, every added word would change the contract. */

/** Creates the values of an enum from words. */
export const words = <const Word extends string>(...each: readonly Word[]) =>
  Object.fromEntries(each.map((word) => [word, word])) as Readonly<Record<Word, Word>>;

export const JobKind = words(
  'tagDevices',
  'untagDevices',
  'linkDevices',
  'unlinkDevices',
  'moveDevices',
  'deleteDevices',
  'sendCommands',
  'redecode',
  'recompute',
  'redeliver',
  'replay',
  'checkDevices',
  'importDevices',
  'checkRecords',
  'importRecords',
);

registerEnumType(JobKind, {
  name: 'JobKind',
  description: 'Work of a job.',
  valuesConfig: {
    redecode: { description: 'Decodes the stored frames of a product again.' },
    recompute: { description: 'Computes the derived variables of stored records again.' },
    redeliver: { description: 'Redelivers ended deliveries of a hook.' },
    replay: { description: 'Calls a hook with stored records.' },
    checkDevices: { description: 'The dry run of an import of devices.' },
    importDevices: { description: 'Registers and changes devices from a file.' },
    checkRecords: { description: 'The dry run of an import of records.' },
    importRecords: { description: 'Stores records from a file.' },
  },
});

/** Reasons why a preview of an alert rule is not complete. */
export const PreviewStop = words('time', 'query', 'records', 'devices', 'history');

registerEnumType(PreviewStop, {
  name: 'PreviewStop',
  description: 'Reason why a preview is not complete.',
  valuesConfig: {
    time: { description: 'The time for the preview was over.' },
    query: { description: 'The query of a condition timed out.' },
    records: { description: 'There are more than 200,000 records.' },
    devices: { description: 'There are more than 1,000 devices.' },
    history: { description: 'Earlier desired states are not kept: only episodes that would be open now are known.' },
  },
});

/** Reasons why a hook is switched off. */
export const HookDisabledReason = words('request', 'gone', 'failing');

registerEnumType(HookDisabledReason, {
  name: 'HookDisabledReason',
  description: 'Reason why a hook is disabled.',
  valuesConfig: {
    request: { description: 'A caller who may change the hook disabled it.' },
    gone: { description: 'The address of the hook answered 410.' },
    failing: { description: 'The calls of the hook failed for five days.' },
  },
});

/** Kinds of events that hooks can be called for. */
export const HookEventKind = {
  record: 'record',
  alertOpened: 'alert.opened',
  alertClosed: 'alert.closed',
  deviceRegistered: 'device.registered',
  deviceDeleted: 'device.deleted',
  hookDisabled: 'hook.disabled',
  commandUpdated: 'command.updated',
  stateDiverged: 'state.diverged',
} as const;

/** Reasons why the filter of a hook is switched off. */
export const FilterDisabledReason = words('timeout');

registerEnumType(FilterDisabledReason, {
  name: 'FilterDisabledReason',
  description: 'Reason why the filter of a hook is disabled.',
  valuesConfig: { timeout: { description: 'The filter kept timing out.' } },
});

/** Reasons why a call got no answer. */
export const DeliveryErrorCode = words('BLOCKED', 'DNS', 'REFUSED', 'TLS', 'TIMEOUT', 'RESET', 'PROTOCOL');

registerEnumType(DeliveryErrorCode, { name: 'DeliveryErrorCode', description: 'Reason why a call got no answer.' });

/** Reasons why an alert rule is switched off. */
export const AlertDisabledReason = words('request', 'timeout');

registerEnumType(AlertDisabledReason, {
  name: 'AlertDisabledReason',
  description: 'Reason why an alert rule is disabled.',
  valuesConfig: {
    request: { description: 'Somebody disabled it by a call.' },
    timeout: { description: 'The query of the rule kept timing out.' },
  },
});

/** Outcomes of an item of a call that posts records. */
export const ItemStatus = words('stored', 'duplicate', 'rejected');

registerEnumType(ItemStatus, {
  name: 'ItemStatus',
  description: 'The outcome of an item of a call that posts records.',
  valuesConfig: { duplicate: { description: 'The item repeats a record, and is not stored again.' } },
});

/** Reasons why an item is rejected. */
export const ItemErrorCode = words(
  'UNKNOWN_DEVICE',
  'VALIDATION_FAILED',
  'TS_OUT_OF_RANGE',
  'BAD_PAYLOAD',
  'MALFORMED_REQUEST',
);

registerEnumType(ItemErrorCode, { name: 'ItemErrorCode', description: 'Reason why an item was rejected.' });

/** Outcomes of an item of a call that puts many things. */
export const PutStatus = words('created', 'updated', 'unchanged', 'failed');

registerEnumType(PutStatus, {
  name: 'PutStatus',
  description: 'The outcome of an item of a call that puts many things.',
  valuesConfig: {
    updated: { description: 'The thing existed and was changed, or linked.' },
    unchanged: { description: 'The thing already was as the item describes it.' },
    failed: { description: 'The item was not stored: `error` says why.' },
  },
});

/** Errors of items that are not put. */
export const PutErrorCode = words('VALIDATION_FAILED', 'NOT_FOUND', 'FORBIDDEN', 'CONFLICT');

registerEnumType(PutErrorCode, { name: 'PutErrorCode', description: 'Reason why an item was not put.' });

/** Outcomes of decoding a frame. */
export const DecodeStatus = words('ok', 'partial', 'failed');

registerEnumType(DecodeStatus, {
  name: 'DecodeStatus',
  description: 'Result of decoding a frame.',
  valuesConfig: {
    ok: { description: 'Decoded without warnings.' },
    partial: { description: 'Decoded with warnings; at least one variable was decoded.' },
    failed: { description: 'No variable was decoded.' },
  },
});
