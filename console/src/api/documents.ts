/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
/** Permission on an application. */
export type Permission =
  | 'read'
  | 'write';

/** Filter of devices: `{tag: "roof", silentSince: "2026-11-25T10:00:00Z"}`. A device must meet all given conditions. */
export type DeviceFilterInput = {
  /** Only these devices. At most 100. */
  ids?: Array<string> | null | undefined;
  /** Only devices with this tag. */
  tag?: string | null | undefined;
  /** Only devices of one of these products. At most 100. */
  productIds?: Array<string> | null | undefined;
  /** Only devices linked to this application. */
  applicationId?: string | null | undefined;
  /** Only devices that are at this site now, or below it. */
  siteId?: string | null | undefined;
  /** Only devices without a record measured at this time or later: Unix seconds. A record ahead of its arrival counts as measured then. */
  silentSince?: number | null | undefined;
  /** Only devices within a circle, edge included. */
  near?: NearInput | null | undefined;
  /** Only devices whose attributes have these values now, at most 10. */
  attributes?: Array<AttributeFilterInput> | null | undefined;
};

/** A circle on Earth (WGS 84): `{lat: 59.85, lon: 17.63, radius: 500}`. */
export type NearInput = {
  /** Latitude of the centre in degrees. */
  lat: number;
  /** Longitude of the centre in degrees. */
  lon: number;
  /** Radius in metres. */
  radius: number;
};

/** An attribute with a value: `{name: "line", value: 3}`. */
export type AttributeFilterInput = {
  /** Name of the attribute. */
  name: string;
  /** The value: a number, boolean or text. */
  value: unknown;
};

/** Type of a product's variable. */
export type VariableType =
  | 'BOOL'
  | 'TXT'
  | 'INT16'
  | 'INT64'
  | 'FLOAT32'
  | 'UINT8'
  | 'UINT16'
  | 'UINT32';

/** Function that reduces the values of a bucket to one point of a series. */
export type SeriesFunction =
  /** Mean of the values. */
  | 'avg'
  /** The smallest value. */
  | 'min'
  /** The largest value. */
  | 'max'
  /** Sum of the values. */
  | 'sum'
  /** Number of values. */
  | 'count'
  /** The value measured first. */
  | 'first'
  /** The value measured last. */
  | 'last'
  /** No buckets: a selection of `points` measured points that preserves the shape of the line (Largest-Triangle-Three-Buckets). */
  | 'lttb';

/** Calendar unit. A day has 23, 24 or 25 hours where clocks change; a week begins on Monday. */
export type CalendarInterval =
  | 'hour'
  | 'day'
  | 'week'
  | 'month'
  | 'quarter'
  | 'year';

/** Function that reduces the values of one device in a bucket to one number. */
export type DeviceReduction =
  /** Mean of the values. */
  | 'avg'
  /** The smallest value. */
  | 'min'
  /** The largest value. */
  | 'max'
  /** The value measured last. */
  | 'last'
  /** Sum of the values. */
  | 'sum'
  /** Number of values. */
  | 'count'
  /** By how much a counter grew since the value before the bucket. Resets, roll-overs and exchanged meters do not distort it. */
  | 'increase'
  /** The increase for each second of the bucket. */
  | 'rate'
  /** Seconds in `state`: each value lasts until the next one, and at most `maxAge`. */
  | 'timeInState';

/** Function that reduces the numbers of the devices of a line in a bucket to one point. */
export type DeviceCombination =
  /** Sum of the numbers. */
  | 'sum'
  /** Mean of the numbers; each device counts the same. */
  | 'avg'
  /** The smallest number. */
  | 'min'
  /** The largest number. */
  | 'max'
  /** Number of devices with a number. */
  | 'count'
  /** The median. */
  | 'p50'
  /** The number that 95 of 100 devices do not exceed, interpolated. */
  | 'p95'
  /** The smallest number, the mean and the largest number: `lowest`, `values`, `highest`. */
  | 'spread';

/** Reason why an item was rejected. */
export type ItemErrorCode =
  | 'UNKNOWN_DEVICE'
  | 'VALIDATION_FAILED'
  | 'TS_OUT_OF_RANGE'
  | 'BAD_PAYLOAD'
  | 'MALFORMED_REQUEST';

/** Layout of a data stream: tagged binary, positional binary, or text fields. */
export type StreamType =
  | 'BIN'
  | 'RAW'
  | 'TXT';

/** State of a command. Each but `waiting` rests on evidence. */
export type CommandState =
  /** Nothing took it yet. */
  | 'waiting'
  /** The network server accepted it, or it was written to the connection of the device. */
  | 'handed'
  /** Whether it reached the device cannot be known: an answer did not come. */
  | 'unknown'
  /** The time of the command was over before anything took it. */
  | 'expired'
  /** Somebody cancelled it. */
  | 'cancelled'
  /** The command cannot reach the device: `code` says why. */
  | 'failed'
  /** The network says that it was sent over the air. */
  | 'transmitted'
  /** The device acknowledged that it came. */
  | 'received'
  /** The device answered with a result or an error. */
  | 'answered';

/** Kind of an actor. */
export type AuditActorKind =
  /** A call with a token. */
  | 'token'
  /** A signed-in person. */
  | 'session'
  /** An operator at the command line. */
  | 'operator'
  /** A step of a job; another event names who requested the job. */
  | 'job'
  /** Somebody whom a provider of sign-ins named, and who is not signed in. */
  | 'person';

/** Outcome of an operation. */
export type AuditOutcome =
  /** The operation was done. */
  | 'success'
  /** The actor was not allowed to do it. At most one event a minute is stored for an actor and an action. */
  | 'refused';

/** Reason why a call got no answer. */
export type DeliveryErrorCode =
  | 'BLOCKED'
  | 'DNS'
  | 'REFUSED'
  | 'TLS'
  | 'TIMEOUT'
  | 'RESET'
  | 'PROTOCOL';

/** Severity of an episode. */
export type AlertSeverity =
  | 'info'
  | 'warning'
  | 'critical';

/** Kind of an alert rule. */
export type AlertKind =
  /** Compares the values of records. */
  | 'threshold'
  /** Waits for records that do not arrive. */
  | 'silence'
  /** Waits for devices to report their desired state. */
  | 'unsettled';

/** Comparison of a variable with a value. */
export type AlertOperator =
  /** Less than. */
  | 'lt'
  /** Less than or equal to. */
  | 'lte'
  /** Greater than. */
  | 'gt'
  /** Greater than or equal to. */
  | 'gte'
  /** Equal to. */
  | 'eq'
  /** Not equal to. */
  | 'ne';

/** Reason why an alert rule is disabled. */
export type AlertDisabledReason =
  /** Somebody disabled it by a call. */
  | 'request'
  /** The query of the rule kept timing out. */
  | 'timeout';

/** Whether an e-mail address gets notices of alert rules. */
export type AlertRecipientState =
  /** The address is not confirmed yet, and gets no notices. */
  | 'pending'
  /** The address gets notices. */
  | 'confirmed'
  /** The address no longer gets notices; `reason` says why. */
  | 'stopped';

/** Reason why an episode closed. */
export type EpisodeEnd =
  /** A record met the condition `until`. */
  | 'cleared'
  /** No record arrived for `closeAfter`. */
  | 'recordsStopped'
  /** A record arrived from the silent device. */
  | 'arrived'
  /** The device has reported what is desired, or nothing is desired any more. */
  | 'settled'
  /** The device was unlinked from the application. */
  | 'unlinked'
  /** The device changed its product or tags, and the rule no longer watches it. */
  | 'moved'
  /** The device was deleted. */
  | 'deviceDeleted'
  /** The rule was disabled. */
  | 'disabled'
  /** The rule was changed. */
  | 'ruleChanged'
  /** The rule was deleted. */
  | 'ruleDeleted';

/** State of an episode. */
export type EpisodeState =
  | 'open'
  | 'closed';

/** Content of an imported file. */
export type ImportKind =
  | 'devices'
  | 'records';

/** State of an import. */
export type ImportState =
  /** A dry run reads the file. */
  | 'checking'
  /** The dry run has ended. Nothing is stored, and the import may be applied. */
  | 'checked'
  /** The lines of the file are being stored. */
  | 'applying'
  /** Every line is stored, was stored before, or is reported as rejected. */
  | 'done'
  /** The import ended early; the error of its job says why. */
  | 'failed';

/** Role of a member in an organization. */
export type Role =
  | 'owner'
  | 'member';

/** Reason why a hook is disabled. */
export type HookDisabledReason =
  /** A caller who may change the hook disabled it. */
  | 'request'
  /** The address of the hook answered 410. */
  | 'gone'
  /** The calls of the hook failed for five days. */
  | 'failing';

/** Reason why the filter of a hook is disabled. */
export type FilterDisabledReason =
  /** The filter kept timing out. */
  | 'timeout';

/** State of a hook's circuit breaker. */
export type CircuitState =
  | 'closed'
  | 'open'
  | 'probing';

/** Scope of a token: everything that its owner may do, reading only, or posting records only. */
export type TokenScope =
  | 'full'
  | 'read'
  | 'ingest';

/** Source of evidence. */
export type EvidenceSource =
  | 'service'
  | 'networkServer'
  | 'device';

/** Kind of evidence about a command: the state that it speaks for. */
export type EvidenceKind =
  | 'handed'
  | 'unknown'
  | 'expired'
  | 'cancelled'
  | 'failed'
  | 'transmitted'
  | 'received'
  | 'answered'
  /** Something that changes no state, such as a delivery that is repeated. */
  | 'noted';

/** Work of a job. */
export type JobKind =
  | 'tagDevices'
  | 'untagDevices'
  | 'linkDevices'
  | 'unlinkDevices'
  | 'moveDevices'
  | 'deleteDevices'
  | 'sendCommands'
  /** Decodes the stored frames of a product again. */
  | 'redecode'
  /** Computes the derived variables of stored records again. */
  | 'recompute'
  /** Redelivers ended deliveries of a hook. */
  | 'redeliver'
  /** Calls a hook with stored records. */
  | 'replay'
  /** The dry run of an import of devices. */
  | 'checkDevices'
  /** Registers and changes devices from a file. */
  | 'importDevices'
  /** The dry run of an import of records. */
  | 'checkRecords'
  /** Stores records from a file. */
  | 'importRecords';

/** State of a job. */
export type JobState =
  | 'pending'
  | 'running'
  | 'done'
  | 'failed';

/** Kind of a network server. */
export type NetworkServerKind =
  /** The Things Stack 3. */
  | 'THE_THINGS_STACK'
  /** ChirpStack 4, by its REST API. */
  | 'CHIRPSTACK';

/** Reason why a preview is not complete. */
export type PreviewStop =
  /** The time for the preview was over. */
  | 'time'
  /** The query of a condition timed out. */
  | 'query'
  /** There are more than 200,000 records. */
  | 'records'
  /** There are more than 1,000 devices. */
  | 'devices'
  /** Earlier desired states are not kept: only episodes that would be open now are known. */
  | 'history';

/** A condition on records: exactly one of `all`, `any` and `query`. */
export type AlertConditionInput = {
  /** Comparisons that all hold. At most 8. */
  all?: Array<AlertComparisonInput> | null | undefined;
  /** Comparisons of which at least one holds. At most 8. */
  any?: Array<AlertComparisonInput> | null | undefined;
  /** A search query over the record and its device. */
  query?: Record<string, unknown> | null | undefined;
};

/** One comparison of a variable with a value. */
export type AlertComparisonInput = {
  /** Name of the variable, a field of `data`. */
  variable: string;
  /** Comparison operator. Texts and booleans can only be compared with `eq` and `ne`. */
  operator: AlertOperator;
  /** A number, a text of at most 200 characters, or a boolean. */
  value: unknown;
};

/** Filter of events of the audit log. An event must meet all given conditions. */
export type AuditEventFilterInput = {
  /** Only events of this actor: identifier of a token, session, job or user, or its name. */
  actor?: string | null | undefined;
  /** Only events of this operation, such as `updateTeam`. */
  action?: string | null | undefined;
  /** Only events about this thing: its identifier, its name, or a kind such as `device`. */
  target?: string | null | undefined;
  /** Only events with this outcome. */
  outcome?: AuditOutcome | null | undefined;
  /** Only events at this time or later: Unix seconds. */
  from?: number | null | undefined;
  /** Only events at this time or earlier: Unix seconds. */
  to?: number | null | undefined;
};

/** Result of decoding a frame. */
export type DecodeStatus =
  /** Decoded without warnings. */
  | 'ok'
  /** Decoded with warnings; at least one variable was decoded. */
  | 'partial'
  /** No variable was decoded. */
  | 'failed';

/** A variable that the service computes when it stores a record. */
export type DerivedVariableInput = {
  /** Name without a dot, which no variable of the product has. */
  name: string;
  /** Unit of the values. */
  unit?: string | null | undefined;
  /** Type of the values. */
  type: VariableType;
  /** Formula over variables of the same record, such as `(temperature - 32) / 1.8`. Other names than identifiers stand in backquotes. */
  formula: string;
};

/** Result of sending an invitation by e-mail. */
export type InvitationMail =
  /** The mail server took it. */
  | 'sent'
  /** The service sends no e-mail. */
  | 'off'
  /** The organization has sent its mails of the day, or the address got one within the hour. */
  | 'limited'
  /** The mail server did not take it. */
  | 'failed';

/** A value to give a device or a site by name. */
export type AttributeInput = {
  /** Name. */
  name: string;
  /** A number, a boolean, or a text of at most 1 kB. Absent or null: the attribute has no value from then on. */
  value?: unknown;
  /** Time from which it holds, in Unix seconds; by default now. Another value of that time is replaced. */
  validFrom?: number | null | undefined;
};

/** A product, by its identifiers. */
export type ProductReferenceInput = {
  /** Identifier of the product. */
  id: string;
  /** Organization that owns the product. */
  organizationId?: string | null | undefined;
};

/** A location on Earth (WGS 84). */
export type LocationInput = {
  /** Latitude in degrees. */
  lat: number;
  /** Longitude in degrees. */
  lon: number;
};

/** Final state of a delivery. */
export type Ended =
  | 'succeeded'
  | 'failed';

/** Authentication of a hook's calls. */
export type HookAuthenticationInput = {
  /** Basic authentication. */
  basic?: HookBasicInput | null | undefined;
  /** A header. */
  header?: HookHeaderInput | null | undefined;
  /** A bearer token, instead of a header. */
  bearer?: HookBearerInput | null | undefined;
};

/** Basic authentication. */
export type HookBasicInput = {
  /** User name for basic authentication. */
  user: string;
  /** Password. Absent on update: unchanged. */
  pass?: string | null | undefined;
};

/** A header. */
export type HookHeaderInput = {
  /** Name of the header: `Authorization` if it is left out, also in an update. */
  name?: string | null | undefined;
  /** Value of the header. */
  value: string;
};

/** A bearer token, stored as the header `Authorization`. */
export type HookBearerInput = {
  /** The token. */
  value: string;
};

/** Filter of the records that a hook is called with. A record must meet all given conditions. */
export type HookFilterInput = {
  /** Products: the record must have one of them. At most 100. */
  products?: Array<string> | null | undefined;
  /** Tags: the device must have at least one of them. */
  tags?: Array<string> | null | undefined;
  /** A search query that the record must match. */
  query?: Record<string, unknown> | null | undefined;
};

/** A variable that devices of a product send. */
export type VariableInput = {
  /** Name, unique in the product. */
  name: string;
  /** Unit of the values. */
  unit?: string | null | undefined;
  /** Type of the values. */
  type: VariableType;
  /** Positions in data streams. */
  mappings?: Array<MappingInput> | null | undefined;
};

/** Position of a variable in a data stream. */
export type MappingInput = {
  /** Number of the stream; frames can address 0 to 255. */
  streamId: number;
  /** Layout of the stream. */
  streamType: StreamType;
  /** Number of the variable in the stream; frames of type BIN can address 1 to 32. */
  varNumber: number;
};

/** Settings of a product, by the names of its variables. */
export type ProductSettingsInput = {
  /** Settings of variables, at most 1,000. */
  variables?: Array<VariableSettingsInput> | null | undefined;
  /** Variables that the service computes when it stores a record, at most 50. */
  derived?: Array<DerivedVariableInput> | null | undefined;
  /** Commands that devices understand, at most 50. */
  commands?: Array<CommandDeclarationInput> | null | undefined;
  /** Parts of the state that devices have, at most 100. */
  state?: Array<TypedNameInput> | null | undefined;
};

/** Settings of a variable, which a device does not send. */
export type VariableSettingsInput = {
  /** Name of the variable. The product may lack it: then the settings have no effect. */
  name: string;
  /** Behaviour of the variable, if it is a counter. */
  counter?: CounterInput | null | undefined;
  /** Words to show for values: at most 200, 2,000 in all. */
  words?: Array<ValueWordInput> | null | undefined;
  /** Decimal places to show. */
  decimals?: number | null | undefined;
};

/** Behaviour of a variable that counts up, such as the energy of a meter. */
export type CounterInput = {
  /** Value at which the counter begins again at zero. Absent: it never does. */
  rollsOverAt?: number | null | undefined;
  /** Largest step back that counts as noise, not as a reset. Absent: 0. */
  jitter?: number | null | undefined;
};

/** A word to show for a value. */
export type ValueWordInput = {
  /** The value as text: `3`, `true`, `open`. */
  value: string;
  /** The word. */
  word: string;
};

/** A command that devices of a product understand. */
export type CommandDeclarationInput = {
  /** Name, other than `raw`. */
  name: string;
  /** Parameters, in the order of their bytes: parameter i is variable i of the layout. At most 32. */
  parameters?: Array<TypedNameInput> | null | undefined;
  /** Stream (LoRaWAN: port) of the bytes. Absent: devices take no bytes, but the parameters by name. */
  streamId?: number | null | undefined;
  /** Layout of the bytes, together with `streamId`. */
  streamType?: StreamType | null | undefined;
  /** Whether the network asks the device to confirm it. Absent: false. */
  confirmed?: boolean | null | undefined;
  /** Whether only those who may send it see parameters and payload. Absent: false. */
  secret?: boolean | null | undefined;
};

/** A parameter of a command, or a part of the state of devices. */
export type TypedNameInput = {
  /** Name. */
  name: string;
  /** Type of the values. */
  type: VariableType;
  /** Unit of the values. */
  unit?: string | null | undefined;
};

/** Fate of the sites and devices in a site that is deleted. */
export type SiteContents =
  /** The site is deleted only if nothing is in it. */
  | 'refuse'
  /** Sites and devices go to the site above, or to the top and to no site. */
  | 'moveUp'
  /** All sites below are deleted as well. Devices go to the site above, or to no site. */
  | 'deleteSites';

export type AcknowledgeMutationVariables = Exact<{
  organizationId: string;
  applicationId: string;
  ids?: Array<string> | string | null | undefined;
  severity?: AlertSeverity | null | undefined;
  state?: EpisodeState | null | undefined;
  alertRuleId?: string | null | undefined;
  deviceId?: string | null | undefined;
}>;


export type AcknowledgeMutation = { acknowledgeEpisodes: { count: number, hasMore: boolean } | null };

export type UnacknowledgedQueryVariables = Exact<{
  applicationId?: string | null | undefined;
  severity?: AlertSeverity | null | undefined;
  state?: EpisodeState | null | undefined;
  alertRuleId?: string | null | undefined;
  deviceId?: string | null | undefined;
}>;


export type UnacknowledgedQuery = { account: { id: string, episodes: { items: Array<{ applicationId: string }> } } | null };

export type AlertsQueryVariables = Exact<{
  organizationId: string;
  applicationId?: string | null | undefined;
  severity?: AlertSeverity | null | undefined;
  state?: EpisodeState | null | undefined;
  acknowledged?: boolean | null | undefined;
  alertRuleId?: string | null | undefined;
  deviceId?: string | null | undefined;
  deviceIds?: Array<string> | string | null | undefined;
  ofDevice: boolean;
  limit: number;
  page: number;
}>;


export type AlertsQuery = { account: { id: string, episodes: { totalCount: number | null, items: Array<{ id: string, name: string, severity: AlertSeverity, applicationId: string, alertRuleId: string, openedAt: string, closedAt: string | null, closedReason: EpisodeEnd | null, acknowledgedAt: string | null, acknowledgedBy: string | null, alertRule: { id: string } | null, openedBy: { recordId: string, ts: number, values: Record<string, unknown> } | null, openedState: Array<{ name: string, desired: unknown, desiredAt: string }> | null, closedBy: { recordId: string, ts: number, values: Record<string, unknown> } | null, device: { id: string, name: string | null, serial: string } | null }> }, waiting: { totalCount: number | null } } | null, applications: { items: Array<{ id: string, name: string }> } | null, organizationMembers: { items: Array<{ id: string, name: string | null, username: string }> } | null, devices?: { items: Array<{ id: string, name: string | null, serial: string }> } | null };

export type EpisodeLineFragment = { id: string, name: string, severity: AlertSeverity, applicationId: string, alertRuleId: string, openedAt: string, closedAt: string | null, closedReason: EpisodeEnd | null, acknowledgedAt: string | null, acknowledgedBy: string | null, openedBy: { recordId: string, ts: number, values: Record<string, unknown> } | null, openedState: Array<{ name: string, desired: unknown, desiredAt: string }> | null, closedBy: { recordId: string, ts: number, values: Record<string, unknown> } | null, device: { id: string, name: string | null, serial: string } | null };

export type OpenEpisodesQueryVariables = Exact<{ [key: string]: never; }>;


export type OpenEpisodesQuery = { account: { id: string, episodes: { totalCount: number | null } } | null };

export type PreviewAlertRuleQueryVariables = Exact<{
  organizationId: string;
  applicationId: string;
  kind: AlertKind;
  products?: Array<string> | string | null | undefined;
  tags?: Array<string> | string | null | undefined;
  sites?: Array<string> | string | null | undefined;
  when?: AlertConditionInput | null | undefined;
  until?: AlertConditionInput | null | undefined;
  for?: number | null | undefined;
  maxGap?: number | null | undefined;
  closeAfter?: number | null | undefined;
  silentFor?: number | null | undefined;
  variable?: string | null | undefined;
  unsettledFor?: number | null | undefined;
  stateName?: string | null | undefined;
}>;


export type PreviewAlertRuleQuery = { previewAlertRule: { from: string, to: string, episodeCount: number, deviceCount: number, devicesRead: number, recordsRead: number, isComplete: boolean, incompleteReason: PreviewStop | null, episodes: Array<{ deviceId: string, openedAt: string, closedAt: string | null }> } | null };

export type PreviewChartQueryVariables = Exact<{
  organizationId: string;
  deviceId: string;
  variables?: Array<string> | string | null | undefined;
  from?: number | null | undefined;
  to?: number | null | undefined;
}>;


export type PreviewChartQuery = { device: { id: string, name: string | null, serial: string, series: Array<{ name: string, unit: string | null, type: VariableType | null, ts: Array<number>, values: Array<number> }> } | null };

export type CreateAlertRuleMutationVariables = Exact<{
  organizationId: string;
  applicationId: string;
  name: string;
  kind: AlertKind;
  severity?: AlertSeverity | null | undefined;
  products?: Array<string> | string | null | undefined;
  tags?: Array<string> | string | null | undefined;
  sites?: Array<string> | string | null | undefined;
  when?: AlertConditionInput | null | undefined;
  until?: AlertConditionInput | null | undefined;
  for?: number | null | undefined;
  maxGap?: number | null | undefined;
  closeAfter?: number | null | undefined;
  silentFor?: number | null | undefined;
  variable?: string | null | undefined;
  unsettledFor?: number | null | undefined;
  stateName?: string | null | undefined;
  recipients?: Array<string> | string | null | undefined;
}>;


export type CreateAlertRuleMutation = { createAlertRule: { id: string } | null };

export type UpdateAlertRuleMutationVariables = Exact<{
  organizationId: string;
  applicationId: string;
  alertRuleId: string;
  name: string;
  severity?: AlertSeverity | null | undefined;
  products?: Array<string> | string | null | undefined;
  tags?: Array<string> | string | null | undefined;
  sites?: Array<string> | string | null | undefined;
  when?: AlertConditionInput | null | undefined;
  until?: AlertConditionInput | null | undefined;
  for?: number | null | undefined;
  maxGap?: number | null | undefined;
  closeAfter?: number | null | undefined;
  silentFor?: number | null | undefined;
  variable?: string | null | undefined;
  unsettledFor?: number | null | undefined;
  stateName?: string | null | undefined;
  recipients?: Array<string> | string | null | undefined;
}>;


export type UpdateAlertRuleMutation = { updateAlertRule: { id: string } | null };

export type SwitchAlertRuleMutationVariables = Exact<{
  organizationId: string;
  applicationId: string;
  alertRuleId: string;
  name: string;
  disabled: boolean;
}>;


export type SwitchAlertRuleMutation = { updateAlertRule: { id: string } | null };

export type DeleteAlertRuleMutationVariables = Exact<{
  organizationId: string;
  applicationId: string;
  alertRuleId: string;
}>;


export type DeleteAlertRuleMutation = { deleteAlertRule: { id: string } | null };

export type AlertRuleQueryVariables = Exact<{
  organizationId: string;
  applicationId: string;
  alertRuleId: string;
  isNew: boolean;
}>;


export type AlertRuleQuery = { application: { id: string, name: string, permission: Permission, products: { items: Array<{ id: string, name: string, version: string, settings: { state: Array<{ name: string }> }, variables: Array<{ name: string, type: VariableType, unit: string | null, decimals: number | null, words: Record<string, unknown> | null }> }> }, devices: { items: Array<{ id: string, name: string | null, serial: string, tags: Array<string> }> } } | null, sites: { items: Array<{ id: string, name: string, path: Array<string> }> } | null, alertRule?: { id: string, applicationId: string, name: string, severity: AlertSeverity, kind: AlertKind, products: Array<string>, sites: Array<string>, tags: Array<string>, recipients: Array<string>, for: number, maxGap: number, closeAfter: number | null, silentFor: number | null, variable: string | null, unsettledFor: number | null, stateName: string | null, disabled: boolean, disabledAt: string | null, disabledReason: AlertDisabledReason | null, recipientStates: Array<{ address: string, state: AlertRecipientState, reason: string | null }>, when: { query: Record<string, unknown> | null, all: Array<{ variable: string, operator: AlertOperator, value: unknown }> | null, any: Array<{ variable: string, operator: AlertOperator, value: unknown }> | null } | null, until: { query: Record<string, unknown> | null, all: Array<{ variable: string, operator: AlertOperator, value: unknown }> | null, any: Array<{ variable: string, operator: AlertOperator, value: unknown }> | null } | null, undecided: { since: string, deviceCount: number } | null } | null };

export type AlertRulesQueryVariables = Exact<{
  organizationId: string;
  applicationIds?: Array<string> | string | null | undefined;
  limit: number;
  page: number;
  sort?: string | null | undefined;
}>;


export type AlertRulesQuery = { applications: { items: Array<{ id: string, name: string }> } | null, chosen: { items: Array<{ id: string, name: string, permission: Permission, alertRules: { totalCount: number | null, items: Array<{ id: string, applicationId: string, name: string, severity: AlertSeverity, kind: AlertKind, products: Array<string>, sites: Array<string>, tags: Array<string>, recipients: Array<string>, for: number, maxGap: number, closeAfter: number | null, silentFor: number | null, variable: string | null, unsettledFor: number | null, stateName: string | null, disabled: boolean, disabledAt: string | null, disabledReason: AlertDisabledReason | null, when: { query: Record<string, unknown> | null, all: Array<{ variable: string, operator: AlertOperator, value: unknown }> | null, any: Array<{ variable: string, operator: AlertOperator, value: unknown }> | null } | null, until: { query: Record<string, unknown> | null, all: Array<{ variable: string, operator: AlertOperator, value: unknown }> | null, any: Array<{ variable: string, operator: AlertOperator, value: unknown }> | null } | null, undecided: { since: string, deviceCount: number } | null }> } }> } | null };

export type RuleLineFragment = { id: string, applicationId: string, name: string, severity: AlertSeverity, kind: AlertKind, products: Array<string>, sites: Array<string>, tags: Array<string>, recipients: Array<string>, for: number, maxGap: number, closeAfter: number | null, silentFor: number | null, variable: string | null, unsettledFor: number | null, stateName: string | null, disabled: boolean, disabledAt: string | null, disabledReason: AlertDisabledReason | null, when: { query: Record<string, unknown> | null, all: Array<{ variable: string, operator: AlertOperator, value: unknown }> | null, any: Array<{ variable: string, operator: AlertOperator, value: unknown }> | null } | null, until: { query: Record<string, unknown> | null, all: Array<{ variable: string, operator: AlertOperator, value: unknown }> | null, any: Array<{ variable: string, operator: AlertOperator, value: unknown }> | null } | null, undecided: { since: string, deviceCount: number } | null };

export type ConditionFragment = { query: Record<string, unknown> | null, all: Array<{ variable: string, operator: AlertOperator, value: unknown }> | null, any: Array<{ variable: string, operator: AlertOperator, value: unknown }> | null };

export type ApplicationQueryVariables = Exact<{
  organizationId: string;
  applicationId: string;
  limit: number;
  page: number;
  sort?: string | null | undefined;
}>;


export type ApplicationQuery = { application: { id: string, name: string, description: string | null, hasDashboard: boolean, permission: Permission, createdAt: string, openEpisodeCount: number, devices: { totalCount: number | null, items: Array<{ id: string, name: string | null, serial: string, product: { id: string, name: string } | null }> }, placed: { items: Array<{ id: string, name: string | null, serial: string, location: { lat: number, lon: number } | null }> }, hooks: { totalCount: number | null, items: Array<{ id: string, url: string, disabled: boolean }> } | null, alertRules: { totalCount: number | null, items: Array<{ id: string, applicationId: string, name: string, severity: AlertSeverity, kind: AlertKind, products: Array<string>, sites: Array<string>, tags: Array<string>, recipients: Array<string>, for: number, maxGap: number, closeAfter: number | null, silentFor: number | null, variable: string | null, unsettledFor: number | null, stateName: string | null, disabled: boolean, disabledAt: string | null, disabledReason: AlertDisabledReason | null, when: { query: Record<string, unknown> | null, all: Array<{ variable: string, operator: AlertOperator, value: unknown }> | null, any: Array<{ variable: string, operator: AlertOperator, value: unknown }> | null } | null, until: { query: Record<string, unknown> | null, all: Array<{ variable: string, operator: AlertOperator, value: unknown }> | null, any: Array<{ variable: string, operator: AlertOperator, value: unknown }> | null } | null, undecided: { since: string, deviceCount: number } | null }> }, grants: { totalCount: number | null, items: Array<{ permission: Permission, team: { id: string, name: string, members: { totalCount: number | null, items: Array<{ id: string, username: string }> } } }> } } | null, organizationMembers: { totalCount: number | null, items: Array<{ id: string, name: string | null, username: string }> } | null };

export type ApplicationsQueryVariables = Exact<{
  organizationId: string;
  limit: number;
  page: number;
  sort?: string | null | undefined;
  q?: string | null | undefined;
}>;


export type ApplicationsQuery = { applications: { totalCount: number | null, items: Array<{ id: string, name: string, description: string | null, permission: Permission, devices: { totalCount: number | null }, teams: { totalCount: number | null, items: Array<{ id: string, name: string }> } }> } | null };

export type CreateApplicationMutationVariables = Exact<{
  organizationId: string;
  name: string;
  description?: string | null | undefined;
}>;


export type CreateApplicationMutation = { createApplication: { id: string } | null };

export type UpdateApplicationMutationVariables = Exact<{
  organizationId: string;
  applicationId: string;
  name: string;
  description?: string | null | undefined;
  hasDashboard: boolean;
}>;


export type UpdateApplicationMutation = { updateApplication: { id: string } | null };

export type DeleteApplicationMutationVariables = Exact<{
  organizationId: string;
  applicationId: string;
}>;


export type DeleteApplicationMutation = { deleteApplication: { id: string } | null };

export type LinkDeviceMutationVariables = Exact<{
  organizationId: string;
  applicationId: string;
  deviceId: string;
}>;


export type LinkDeviceMutation = { addApplicationDevice: { id: string } | null };

export type UnlinkDeviceMutationVariables = Exact<{
  organizationId: string;
  applicationId: string;
  deviceId: string;
}>;


export type UnlinkDeviceMutation = { removeApplicationDevice: { id: string } | null };

export type DeviceBySerialQueryVariables = Exact<{
  organizationId: string;
  deviceSerial: string;
}>;


export type DeviceBySerialQuery = { deviceBySerial: { id: string } | null };

export type DeviceAttributesQueryVariables = Exact<{
  organizationId: string;
  id: string;
}>;


export type DeviceAttributesQuery = { owner: { id: string, attributeNames: Array<string>, attributes: Array<{ name: string, value: unknown, validFrom: number }> } | null };

export type SiteAttributesQueryVariables = Exact<{
  organizationId: string;
  id: string;
}>;


export type SiteAttributesQuery = { owner: { id: string, attributeNames: Array<string>, attributes: Array<{ name: string, value: unknown, validFrom: number }> } | null };

export type DeviceAttributeVersionsQueryVariables = Exact<{
  organizationId: string;
  id: string;
  name: string;
  before?: number | null | undefined;
}>;


export type DeviceAttributeVersionsQuery = { owner: { id: string, attributeVersions: Array<{ validFrom: number, value: unknown }> } | null };

export type SiteAttributeVersionsQueryVariables = Exact<{
  organizationId: string;
  id: string;
  name: string;
  before?: number | null | undefined;
}>;


export type SiteAttributeVersionsQuery = { owner: { id: string, attributeVersions: Array<{ validFrom: number, value: unknown }> } | null };

export type SetDeviceAttributesMutationVariables = Exact<{
  organizationId: string;
  id: string;
  attributes: Array<AttributeInput> | AttributeInput;
}>;


export type SetDeviceAttributesMutation = { changed: { attributes: Array<{ name: string }> } | null };

export type SetSiteAttributesMutationVariables = Exact<{
  organizationId: string;
  id: string;
  attributes: Array<AttributeInput> | AttributeInput;
}>;


export type SetSiteAttributesMutation = { changed: { attributes: Array<{ name: string }> } | null };

export type RemoveDeviceAttributeMutationVariables = Exact<{
  organizationId: string;
  id: string;
  name: string;
  validFrom?: number | null | undefined;
}>;


export type RemoveDeviceAttributeMutation = { changed: { attributes: Array<{ name: string }> } | null };

export type RemoveSiteAttributeMutationVariables = Exact<{
  organizationId: string;
  id: string;
  name: string;
  validFrom?: number | null | undefined;
}>;


export type RemoveSiteAttributeMutation = { changed: { attributes: Array<{ name: string }> } | null };

export type AttributeLineFragment = { name: string, value: unknown, validFrom: number };

export type AttributeVersionLineFragment = { validFrom: number, value: unknown };

export type AuditLineFragment = { id: string, at: string, action: string, outcome: AuditOutcome, requestId: string | null, address: string | null, actor: { kind: AuditActorKind, actorId: string | null, name: string | null, userId: string | null, userName: string | null }, target: { kind: string, targetId: string | null, name: string | null } | null, changes: Array<{ field: string, before: unknown, after: unknown }> };

export type AuditQueryVariables = Exact<{
  organizationId: string;
  filter: AuditEventFilterInput;
  limit: number;
  page: number;
}>;


export type AuditQuery = { auditEvents: { totalCount: number | null, items: Array<{ id: string, at: string, action: string, outcome: AuditOutcome, requestId: string | null, address: string | null, actor: { kind: AuditActorKind, actorId: string | null, name: string | null, userId: string | null, userName: string | null }, target: { kind: string, targetId: string | null, name: string | null } | null, changes: Array<{ field: string, before: unknown, after: unknown }> }> } | null };

export type CreateTokenMutationVariables = Exact<{
  organizationId: string;
  name?: string | null | undefined;
  scope: TokenScope;
  expiresAt?: string | null | undefined;
}>;


export type CreateTokenMutation = { createApiToken: { token: string } | null };

export type DashboardsToAddToQueryVariables = Exact<{
  organizationId: string;
  applicationIds?: Array<string> | string | null | undefined;
}>;


export type DashboardsToAddToQuery = { applications: { items: Array<{ id: string, name: string, permission: Permission, hasDashboard: boolean }> } | null };

export type DashboardToAddToQueryVariables = Exact<{
  organizationId: string;
  applicationId: string;
}>;


export type DashboardToAddToQuery = { application: { id: string, dashboard: { version: number, document: unknown } | null } | null };

export type UpdateDashboardMutationVariables = Exact<{
  organizationId: string;
  applicationId: string;
  version: number;
  document: unknown;
}>;


export type UpdateDashboardMutation = { updateDashboard: { version: number } | null };

export type SuggestDashboardQueryVariables = Exact<{
  organizationId: string;
  applicationId: string;
}>;


export type SuggestDashboardQuery = { suggestDashboard: unknown };

export type DashboardQueryVariables = Exact<{
  organizationId: string;
  applicationId: string;
}>;


export type DashboardQuery = { application: { permission: Permission, hasDashboard: boolean, id: string, name: string, dashboard: { version: number, document: unknown, updatedAt: string | null, updatedBy: { id: string, name: string | null, username: string } | null } | null, products: { items: Array<{ id: string, name: string, version: string, variables: Array<{ name: string, type: VariableType, unit: string | null, decimals: number | null, words: Record<string, unknown> | null }> }> }, devices: { totalCount: number | null, items: Array<{ id: string, name: string | null, serial: string, tags: Array<string> }> } } | null, sites: { items: Array<{ id: string, name: string, path: Array<string> }> } | null };

export type DashboardApplicationFragment = { permission: Permission, hasDashboard: boolean, id: string, name: string, dashboard: { version: number, document: unknown, updatedAt: string | null, updatedBy: { id: string, name: string | null, username: string } | null } | null, products: { items: Array<{ id: string, name: string, version: string, variables: Array<{ name: string, type: VariableType, unit: string | null, decimals: number | null, words: Record<string, unknown> | null }> }> }, devices: { totalCount: number | null, items: Array<{ id: string, name: string | null, serial: string, tags: Array<string> }> } };

export type DashboardSubjectsFragment = { id: string, name: string, products: { items: Array<{ id: string, name: string, version: string, variables: Array<{ name: string, type: VariableType, unit: string | null, decimals: number | null, words: Record<string, unknown> | null }> }> }, devices: { totalCount: number | null, items: Array<{ id: string, name: string | null, serial: string, tags: Array<string> }> } };

export type DashboardsQueryVariables = Exact<{
  organizationId: string;
  limit: number;
  page: number;
  q?: string | null | undefined;
}>;


export type DashboardsQuery = { applications: { totalCount: number | null, items: Array<{ id: string, name: string, description: string | null, permission: Permission, hasDashboard: boolean, dashboard: { version: number, updatedAt: string | null, updatedBy: { id: string, name: string | null, username: string } | null } | null, devices: { totalCount: number | null } }> } | null };

export type DashboardRecordsSubscriptionVariables = Exact<{
  organizationId: string;
  applicationId: string;
}>;


export type DashboardRecordsSubscription = { recordReceived: { missed: number, records: Array<{ id: string }> } };

export type PanelDeviceFragment = { id: string, name: string | null, serial: string };

export type PanelLineFragment = { name: string, unit: string | null, type: VariableType | null, interval: number | null, ts: Array<number>, values: Array<number> };

export type PanelNewestFragment = { name: string, values: Array<number> };

export type PanelStatesFragment = { name: string, unit: string | null, type: VariableType | null, interval: number, ts: Array<number>, seconds: Array<number>, values: Array<string> };

export type PanelValueFragment = { name: string, value: unknown, unit: string | null };

export type PanelPlaceFragment = { location: { lat: number, lon: number } | null, openEpisodes: { totalCount: number | null } };

export type DashboardLinksQueryVariables = Exact<{
  organizationId: string;
  applicationId: string;
}>;


export type DashboardLinksQuery = { application: { id: string, dashboardLinks: Array<{ id: string, name: string, lastUsedAt: string | null, expiresAt: string | null }> | null } | null };

export type CreateDashboardLinkMutationVariables = Exact<{
  organizationId: string;
  applicationId: string;
  name: string;
  expiresAt?: string | null | undefined;
}>;


export type CreateDashboardLinkMutation = { createDashboardLink: { url: string } | null };

export type DeleteDashboardLinkMutationVariables = Exact<{
  organizationId: string;
  applicationId: string;
  linkId: string;
}>;


export type DeleteDashboardLinkMutation = { deleteDashboardLink: { id: string } | null };

export type DashboardOwnerQueryVariables = Exact<{
  organizationId: string;
  applicationId: string;
}>;


export type DashboardOwnerQuery = { application: { id: string, name: string, description: string | null } | null };

export type WallQueryVariables = Exact<{ [key: string]: never; }>;


export type WallQuery = { viewer: { application: { organizationId: string, id: string, name: string, dashboard: { version: number, document: unknown } | null, products: { items: Array<{ id: string, name: string, version: string, variables: Array<{ name: string, type: VariableType, unit: string | null, decimals: number | null, words: Record<string, unknown> | null }> }> }, devices: { totalCount: number | null, items: Array<{ id: string, name: string | null, serial: string, tags: Array<string> }> } } | null } | null };

export type DeclaredCommandFragment = { name: string, streamId: number | null, streamType: StreamType | null, confirmed: boolean, secret: boolean, parameters: Array<{ name: string, type: VariableType, unit: string | null }> };

export type DeviceSuggestionsQueryVariables = Exact<{
  organizationId: string;
  q: string;
  tag: string;
  limit: number;
}>;


export type DeviceSuggestionsQuery = { named: { items: Array<{ id: string, name: string | null, serial: string, tags: Array<string> }> } | null, tagged: { items: Array<{ id: string, name: string | null, serial: string, tags: Array<string> }> } | null };

export type SuggestedDeviceFragment = { id: string, name: string | null, serial: string, tags: Array<string> };

export type RegisterDeviceMutationVariables = Exact<{
  organizationId: string;
  deviceSerial: string;
  name?: string | null | undefined;
  tags?: Array<string> | string | null | undefined;
  product?: ProductReferenceInput | null | undefined;
  location?: LocationInput | null | undefined;
}>;


export type RegisterDeviceMutation = { registerDevice: { id: string } | null };

export type UpdateDeviceMutationVariables = Exact<{
  organizationId: string;
  deviceId: string;
  name?: string | null | undefined;
  tags?: Array<string> | string | null | undefined;
  product?: ProductReferenceInput | null | undefined;
  location?: LocationInput | null | undefined;
}>;


export type UpdateDeviceMutation = { updateDevice: { id: string } | null };

export type DeleteDeviceMutationVariables = Exact<{
  organizationId: string;
  deviceId: string;
}>;


export type DeleteDeviceMutation = { deleteDevice: { id: string } | null };

export type CreateDeviceTokenMutationVariables = Exact<{
  organizationId: string;
  deviceId: string;
  name?: string | null | undefined;
  expiresAt?: string | null | undefined;
}>;


export type CreateDeviceTokenMutation = { createDeviceToken: { token: string } | null };

export type RevokeDeviceTokenMutationVariables = Exact<{
  organizationId: string;
  deviceId: string;
  tokenId: string;
}>;


export type RevokeDeviceTokenMutation = { revokeDeviceToken: { id: string } | null };

export type DeviceCommandsQueryVariables = Exact<{
  organizationId: string;
  deviceId: string;
  limit: number;
  page: number;
}>;


export type DeviceCommandsQuery = { device: { id: string, product: { id: string, settings: { commands: Array<{ name: string, streamId: number | null, streamType: StreamType | null, confirmed: boolean, secret: boolean, parameters: Array<{ name: string, type: VariableType, unit: string | null }> }>, state: Array<{ name: string, type: VariableType, unit: string | null }> } } | null, applications: { items: Array<{ id: string, permission: Permission }> }, state: Array<{ name: string, desired: unknown, version: number, desiredAt: string | null, reported: unknown, reportedAt: string | null, settled: boolean }>, commands: { totalCount: number | null, items: Array<{ id: string, name: string, parameters: Record<string, unknown> | null, payload: string | null, streamId: number | null, secret: boolean, sender: string | null, createdAt: string, expiresAt: string, state: CommandState, code: string | null, detail: unknown, stateAt: string, evidence: Array<{ at: string, source: EvidenceSource, kind: EvidenceKind, code: string | null, detail: unknown }> }> } } | null };

export type CommandLineFragment = { id: string, name: string, parameters: Record<string, unknown> | null, payload: string | null, streamId: number | null, secret: boolean, sender: string | null, createdAt: string, expiresAt: string, state: CommandState, code: string | null, detail: unknown, stateAt: string, evidence: Array<{ at: string, source: EvidenceSource, kind: EvidenceKind, code: string | null, detail: unknown }> };

export type SendCommandMutationVariables = Exact<{
  organizationId: string;
  deviceId: string;
  name: string;
  parameters?: Record<string, unknown> | null | undefined;
  payload?: string | null | undefined;
  streamId?: number | null | undefined;
  expiresAt?: number | null | undefined;
}>;


export type SendCommandMutation = { sendCommand: { id: string } | null };

export type CancelCommandsMutationVariables = Exact<{
  organizationId: string;
  deviceId: string;
  ids?: Array<string> | string | null | undefined;
}>;


export type CancelCommandsMutation = { cancelCommands: { count: number } | null };

export type SetDesiredStateMutationVariables = Exact<{
  organizationId: string;
  deviceId: string;
  desired: Record<string, unknown>;
}>;


export type SetDesiredStateMutation = { setDesiredState: { state: Array<{ name: string }> } | null };

export type DeviceQueryVariables = Exact<{
  organizationId: string;
  deviceId: string;
  variables?: Array<string> | string | null | undefined;
  from?: number | null | undefined;
  to?: number | null | undefined;
  owns: boolean;
}>;


export type DeviceQuery = { device: { id: string, serial: string, name: string | null, tags: Array<string>, createdAt: string, lastRecordAt: string | null, clockAhead: number | null, location: { lat: number, lon: number } | null, product: { id: string, organizationId: string, name: string, version: string, variables: Array<{ name: string, type: VariableType, unit: string | null, decimals: number | null, words: Record<string, unknown> | null }> } | null, applications: { items: Array<{ id: string, name: string }> }, openEpisodes: { totalCount: number | null, items: Array<{ id: string, name: string, severity: AlertSeverity, applicationId: string, alertRuleId: string, openedAt: string, closedAt: string | null, closedReason: EpisodeEnd | null, acknowledgedAt: string | null, acknowledgedBy: string | null, openedBy: { recordId: string, ts: number, values: Record<string, unknown> } | null, openedState: Array<{ name: string, desired: unknown, desiredAt: string }> | null, closedBy: { recordId: string, ts: number, values: Record<string, unknown> } | null, device: { id: string, name: string | null, serial: string } | null }> }, series: Array<{ name: string, unit: string | null, type: VariableType | null, interval: number | null, ts: Array<number>, values: Array<number> }>, latest: Array<{ name: string, value: unknown, unit: string | null, ts: number, ahead: number | null }>, records: { items: Array<{ id: string, ts: number, data: Record<string, unknown>, metadata: Record<string, unknown>, frame: Record<string, unknown> | null }> } } | null, account: { id: string, episodes: { items: Array<{ id: string, name: string, severity: AlertSeverity, openedAt: string, closedAt: string | null }> } } | null, deviceTokens?: { items: Array<{ id: string, name: string | null, prefix: string, createdAt: string, lastUsedAt: string | null, expiresAt: string | null, revokedAt: string | null }> } | null, products: { items: Array<{ id: string, organizationId: string, name: string, version: string }> } | null };

export type TagDevicesMutationVariables = Exact<{
  organizationId: string;
  deviceIds?: Array<string> | string | null | undefined;
  q?: string | null | undefined;
  filter?: DeviceFilterInput | null | undefined;
  dryRun?: boolean | null | undefined;
  tags: Array<string> | string;
}>;


export type TagDevicesMutation = { tagDevices: { matched: number, changed: number, blocked: number, job: { id: string } | null } | null };

export type UntagDevicesMutationVariables = Exact<{
  organizationId: string;
  deviceIds?: Array<string> | string | null | undefined;
  q?: string | null | undefined;
  filter?: DeviceFilterInput | null | undefined;
  dryRun?: boolean | null | undefined;
  tags: Array<string> | string;
}>;


export type UntagDevicesMutation = { untagDevices: { matched: number, changed: number, blocked: number, job: { id: string } | null } | null };

export type LinkDevicesMutationVariables = Exact<{
  organizationId: string;
  deviceIds?: Array<string> | string | null | undefined;
  q?: string | null | undefined;
  filter?: DeviceFilterInput | null | undefined;
  dryRun?: boolean | null | undefined;
  applicationId: string;
}>;


export type LinkDevicesMutation = { linkDevices: { matched: number, changed: number, blocked: number, job: { id: string } | null } | null };

export type UnlinkDevicesMutationVariables = Exact<{
  organizationId: string;
  deviceIds?: Array<string> | string | null | undefined;
  q?: string | null | undefined;
  filter?: DeviceFilterInput | null | undefined;
  dryRun?: boolean | null | undefined;
  applicationId: string;
}>;


export type UnlinkDevicesMutation = { unlinkDevices: { matched: number, changed: number, blocked: number, job: { id: string } | null } | null };

export type DeleteDevicesMutationVariables = Exact<{
  organizationId: string;
  deviceIds?: Array<string> | string | null | undefined;
  q?: string | null | undefined;
  filter?: DeviceFilterInput | null | undefined;
  dryRun?: boolean | null | undefined;
}>;


export type DeleteDevicesMutation = { deleteDevices: { matched: number, changed: number, blocked: number, job: { id: string } | null } | null };

export type ChangedDevicesFragment = { matched: number, changed: number, blocked: number, job: { id: string } | null };

export type DevicesQueryVariables = Exact<{
  organizationId: string;
  limit: number;
  page: number;
  sort?: string | null | undefined;
  q?: string | null | undefined;
  filter?: DeviceFilterInput | null | undefined;
}>;


export type DevicesQuery = { devices: { totalCount: number | null, items: Array<{ id: string, serial: string, name: string | null, tags: Array<string>, applicationCount: number, lastRecordAt: string | null, product: { id: string, name: string, variables: Array<{ name: string, type: VariableType, unit: string | null, decimals: number | null, words: Record<string, unknown> | null }> } | null, latest: Array<{ name: string, value: unknown, unit: string | null, ts: number, ahead: number | null }> }> } | null, products: { items: Array<{ id: string, organizationId: string, name: string, version: string }> } | null, applications: { items: Array<{ id: string, name: string, permission: Permission }> } | null };

export type FleetCommandsQueryVariables = Exact<{
  organizationId: string;
  q?: string | null | undefined;
  filter?: DeviceFilterInput | null | undefined;
}>;


export type FleetCommandsQuery = { products: { items: Array<{ id: string, name: string, version: string, settings: { commands: Array<{ name: string, streamId: number | null, streamType: StreamType | null, confirmed: boolean, secret: boolean, parameters: Array<{ name: string, type: VariableType, unit: string | null }> }> } }> } | null, devices: { items: Array<{ id: string, product: { id: string, name: string, version: string, settings: { commands: Array<{ name: string, streamId: number | null, streamType: StreamType | null, confirmed: boolean, secret: boolean, parameters: Array<{ name: string, type: VariableType, unit: string | null }> }> } } | null }> } | null };

export type CommandedProductFragment = { id: string, name: string, version: string, settings: { commands: Array<{ name: string, streamId: number | null, streamType: StreamType | null, confirmed: boolean, secret: boolean, parameters: Array<{ name: string, type: VariableType, unit: string | null }> }> } };

export type SendCommandsMutationVariables = Exact<{
  organizationId: string;
  deviceIds?: Array<string> | string | null | undefined;
  q?: string | null | undefined;
  filter?: DeviceFilterInput | null | undefined;
  dryRun?: boolean | null | undefined;
  name: string;
  parameters?: Record<string, unknown> | null | undefined;
  payload?: string | null | undefined;
  streamId?: number | null | undefined;
  expiresAt?: number | null | undefined;
  key?: string | null | undefined;
}>;


export type SendCommandsMutation = { sendCommands: { matched: number, changed: number, blocked: number, job: { id: string } | null } | null };

export type FileImportQueryVariables = Exact<{
  organizationId: string;
  importId: string;
}>;


export type FileImportQuery = { fileImport: { id: string, kind: ImportKind, state: ImportState, lines: number, created: number, updated: number, unchanged: number, rejected: number, faultCount: number, ignoredCount: number | null, faults: Array<{ line: number, column: number | null, field: string | null, message: string }>, ignored: Array<{ field: string, count: number, line: number, message: string }>, job: { id: string, kind: JobKind, done: number, total: number | null, error: string | null } | null } | null };

export type ApplyFileImportMutationVariables = Exact<{
  organizationId: string;
  importId: string;
}>;


export type ApplyFileImportMutation = { applyFileImport: { id: string } | null };

export type DeleteFileImportMutationVariables = Exact<{
  organizationId: string;
  importId: string;
}>;


export type DeleteFileImportMutation = { deleteFileImport: { id: string } | null };

export type ExploreQueryVariables = Exact<{
  organizationId: string;
  applicationIds?: Array<string> | string | null | undefined;
  variables: Array<string> | string;
  deviceIds?: Array<string> | string | null | undefined;
  function?: SeriesFunction | null | undefined;
  from?: number | null | undefined;
  to?: number | null | undefined;
  charts: boolean;
  chartsDevices: boolean;
  combine?: DeviceCombination | null | undefined;
  perDevice?: DeviceReduction | null | undefined;
  filter?: DeviceFilterInput | null | undefined;
  first: string;
  second: string;
  third: string;
  hasFirst: boolean;
  hasSecond: boolean;
  hasThird: boolean;
  searches: boolean;
  ts: unknown;
  queries: unknown;
}>;


export type ExploreQuery = { applications: { items: Array<{ id: string, name: string }> } | null, chosen: { items: Array<{ id: string, products: { items: Array<{ id: string, name: string, variables: Array<{ name: string, type: VariableType, unit: string | null, decimals: number | null, words: Record<string, unknown> | null }> }> }, devices: { totalCount: number | null, items: Array<{ id: string, name: string | null, serial: string }> }, series?: Array<{ name: string, unit: string | null, type: VariableType | null, deviceId: string, interval: number | null, ts: Array<number>, values: Array<number> }>, first?: Array<{ key: string | null, name: string | null, others: boolean, unit: string | null, interval: number | null, ts: Array<number>, values: Array<number>, lowest: Array<number>, highest: Array<number>, devices: Array<number>, expected: Array<number>, bridged: Array<number> }>, second?: Array<{ key: string | null, name: string | null, others: boolean, unit: string | null, interval: number | null, ts: Array<number>, values: Array<number>, lowest: Array<number>, highest: Array<number>, devices: Array<number>, expected: Array<number>, bridged: Array<number> }>, third?: Array<{ key: string | null, name: string | null, others: boolean, unit: string | null, interval: number | null, ts: Array<number>, values: Array<number>, lowest: Array<number>, highest: Array<number>, devices: Array<number>, expected: Array<number>, bridged: Array<number> }>, search?: { took: number, responses: Array<Record<string, unknown>> } }> } | null, series?: Array<{ name: string, unit: string | null, type: VariableType | null, deviceId: string, interval: number | null, ts: Array<number>, values: Array<number> }> | null };

export type ExploredLineFragment = { name: string, unit: string | null, type: VariableType | null, deviceId: string, interval: number | null, ts: Array<number>, values: Array<number> };

export type GroupLineFragment = { key: string | null, name: string | null, others: boolean, unit: string | null, interval: number | null, ts: Array<number>, values: Array<number>, lowest: Array<number>, highest: Array<number>, devices: Array<number>, expected: Array<number>, bridged: Array<number> };

export type CreateHookMutationVariables = Exact<{
  organizationId: string;
  applicationId: string;
  url: string;
  allowUnverifiedSSLCert?: boolean | null | undefined;
  authentication?: HookAuthenticationInput | null | undefined;
}>;


export type CreateHookMutation = { createApplicationHook: { id: string } | null };

export type UpdateHookMutationVariables = Exact<{
  organizationId: string;
  applicationId: string;
  applicationHookId: string;
  url: string;
  disabled?: boolean | null | undefined;
  allowUnverifiedSSLCert?: boolean | null | undefined;
  authentication?: HookAuthenticationInput | null | undefined;
}>;


export type UpdateHookMutation = { updateApplicationHook: { id: string } | null };

export type UpdateHookSettingsMutationVariables = Exact<{
  organizationId: string;
  applicationId: string;
  applicationHookId: string;
  concurrency?: number | null | undefined;
  maxPerSecond?: number | null | undefined;
  ordered?: boolean | null | undefined;
  events?: Array<string> | string | null | undefined;
  filter?: HookFilterInput | null | undefined;
}>;


export type UpdateHookSettingsMutation = { updateApplicationHookSettings: { concurrency: number } | null };

export type DeleteHookMutationVariables = Exact<{
  organizationId: string;
  applicationId: string;
  applicationHookId: string;
}>;


export type DeleteHookMutation = { deleteApplicationHook: { id: string } | null };

export type PingHookMutationVariables = Exact<{
  organizationId: string;
  applicationId: string;
  applicationHookId: string;
}>;


export type PingHookMutation = { pingApplicationHook: { id: string } | null };

export type RotateSecretMutationVariables = Exact<{
  organizationId: string;
  applicationId: string;
  applicationHookId: string;
}>;


export type RotateSecretMutation = { rotateApplicationHookSigningSecret: { signingSecret: string, previousSecretUntil: string | null } | null };

export type RedeliverRangeMutationVariables = Exact<{
  organizationId: string;
  applicationId: string;
  applicationHookId: string;
  from?: number | null | undefined;
  to?: number | null | undefined;
  state?: Ended | null | undefined;
}>;


export type RedeliverRangeMutation = { redeliverApplicationHook: { id: string } | null };

export type ReplayRangeMutationVariables = Exact<{
  organizationId: string;
  applicationId: string;
  applicationHookId: string;
  from?: number | null | undefined;
  to?: number | null | undefined;
}>;


export type ReplayRangeMutation = { replayApplicationHook: { id: string } | null };

export type RedeliverOneMutationVariables = Exact<{
  organizationId: string;
  applicationId: string;
  applicationHookId: string;
  deliveryId: string;
}>;


export type RedeliverOneMutation = { redeliverApplicationHookDelivery: { id: string } | null };

export type CountDeliveriesQueryVariables = Exact<{
  organizationId: string;
  applicationId: string;
  applicationHookId: string;
  from?: number | null | undefined;
  to?: number | null | undefined;
}>;


export type CountDeliveriesQuery = { failed: { totalCount: number | null } | null, succeeded: { totalCount: number | null } | null, application: { records: { totalCount: number | null } } | null };

export type DeliveryQueryVariables = Exact<{
  organizationId: string;
  applicationId: string;
  applicationHookId: string;
  deliveryId: string;
  stored: number;
}>;


export type DeliveryQuery = { newer: { items: Array<{ id: string }> } | null, older: { items: Array<{ id: string }> } | null, applicationHookDelivery: { id: string, successful: boolean, createdAt: string, updatedAt: string, attemptsMade: number, maxNumberAttempts: number, nextAttemptAt: string | null, truncated: boolean | null, device: { id: string, name: string | null, serial: string } | null, application: { id: string, name: string }, hook: { id: string, url: string, settings: { circuit: CircuitState, circuitUntil: string | null } } | null, request: { method: string, uri: Record<string, unknown>, headers: Record<string, unknown>, payload: unknown } | null, response: { statusCode: number, headers: Record<string, unknown>, body: unknown } | null, error: { code: DeliveryErrorCode, message: string } | null, attempts: Array<{ at: string, statusCode: number | null, error: { code: DeliveryErrorCode, message: string } | null, duration: { connect: number, wait: number, read: number, total: number } }> } | null };

export type HookQueryVariables = Exact<{
  organizationId: string;
  applicationId: string;
  applicationHookId: string;
  limit: number;
  page: number;
  successful?: boolean | null | undefined;
  from?: number | null | undefined;
  to?: number | null | undefined;
}>;


export type HookQuery = { applicationHook: { id: string, url: string, disabled: boolean, disabledAt: string | null, disabledReason: HookDisabledReason | null, allowUnverifiedSSLCert: boolean, createdAt: string, activity: Array<{ ts: number, succeeded: number, failed: number, pending: number }>, authentication: { basic: { user: string } | null, header: { name: string } | null } | null, application: { id: string, name: string }, settings: { basicReplacedByHeader: boolean, circuit: CircuitState, circuitUntil: string | null, concurrency: number, events: Array<string>, failuresInRow: number, filterDisabledAt: string | null, filterDisabledReason: FilterDisabledReason | null, maxPerSecond: number | null, ordered: boolean, previousSecretUntil: string | null, signed: boolean, filter: { products: Array<string> | null, tags: Array<string> | null, query: Record<string, unknown> | null } | null }, stats: { successRate: number | null, p50: number | null, p95: number | null, pending: number, running: number, lastFailureAt: string | null } } | null, applicationHookLedger: { totalCount: number | null, items: Array<{ id: string, createdAt: string, successful: boolean, attemptsMade: number, maxNumberAttempts: number, device: { id: string, name: string | null, serial: string } | null, response: { statusCode: number } | null, error: { code: DeliveryErrorCode, message: string } | null }> } | null };

export type HooksQueryVariables = Exact<{
  organizationId: string;
  applicationIds?: Array<string> | string | null | undefined;
  page: number;
  hookPage: number;
  disabled?: boolean | null | undefined;
  failing?: boolean | null | undefined;
}>;


export type HooksQuery = { names: { items: Array<{ id: string, name: string, permission: Permission }> } | null, applications: { totalCount: number | null, items: Array<{ id: string, name: string, hooks: { totalCount: number | null, items: Array<{ id: string, url: string, disabled: boolean, disabledReason: HookDisabledReason | null, settings: { circuit: CircuitState, failuresInRow: number }, stats: { successRate: number | null, p50: number | null, p95: number | null, pending: number, running: number, lastFailureAt: string | null } }> } | null }> } | null };

export type JobLineFragment = { id: string, kind: JobKind, state: JobState, done: number, total: number | null, changed: number, error: string | null, createdAt: string, updatedAt: string };

export type JobUpdatedSubscriptionVariables = Exact<{
  organizationId: string;
  jobId?: string | null | undefined;
  after?: string | null | undefined;
}>;


export type JobUpdatedSubscription = { jobUpdated: { cursor: string, jobs: Array<{ id: string, kind: JobKind, state: JobState, done: number, total: number | null, changed: number, error: string | null, createdAt: string, updatedAt: string }> } };

export type JobQueryVariables = Exact<{
  organizationId: string;
  jobId: string;
}>;


export type JobQuery = { job: { id: string, kind: JobKind, state: JobState, done: number, total: number | null, changed: number, error: string | null, createdAt: string, updatedAt: string } | null };

export type JobsQueryVariables = Exact<{
  limit: number;
  page: number;
  sort?: string | null | undefined;
  q?: string | null | undefined;
}>;


export type JobsQuery = { account: { jobs: { totalCount: number | null, items: Array<{ id: string, kind: JobKind, state: JobState, done: number, total: number | null, changed: number, error: string | null, createdAt: string, updatedAt: string }> } } | null };

export type LiveRecordsSubscriptionVariables = Exact<{
  organizationId: string;
  applicationId: string;
  query?: Record<string, unknown> | null | undefined;
  after?: string | null | undefined;
}>;


export type LiveRecordsSubscription = { recordReceived: { missed: number, cursor: string, records: Array<{ id: string, ts: number, data: Record<string, unknown>, device: { id: string, name: string | null, serial: string, product: { id: string } | null } | null }> } };

export type LiveQueryVariables = Exact<{
  organizationId: string;
  applicationIds?: Array<string> | string | null | undefined;
  ts: unknown;
  queries: unknown;
}>;


export type LiveQuery = { applications: { items: Array<{ id: string, name: string }> } | null, chosen: { items: Array<{ id: string, products: { items: Array<{ id: string, variables: Array<{ name: string, type: VariableType, unit: string | null, decimals: number | null, words: Record<string, unknown> | null }> }> }, search: { responses: Array<Record<string, unknown>> } }> } | null };

export type NetworkServerLineFragment = { id: string, kind: NetworkServerKind, name: string, address: string, application: string, proposed: boolean };

export type NetworkServersQueryVariables = Exact<{
  organizationId: string;
  limit: number;
  page: number;
  sort?: string | null | undefined;
}>;


export type NetworkServersQuery = { networkServers: { totalCount: number | null, items: Array<{ id: string, kind: NetworkServerKind, name: string, address: string, application: string, proposed: boolean }> } | null };

export type CreateNetworkServerMutationVariables = Exact<{
  organizationId: string;
  kind: NetworkServerKind;
  name: string;
  address: string;
  application: string;
  apiKey: string;
}>;


export type CreateNetworkServerMutation = { createNetworkServer: { id: string } | null };

export type UpdateNetworkServerMutationVariables = Exact<{
  organizationId: string;
  networkServerId: string;
  name: string;
  address: string;
  application: string;
  apiKey?: string | null | undefined;
}>;


export type UpdateNetworkServerMutation = { updateNetworkServer: { id: string } | null };

export type DeleteNetworkServerMutationVariables = Exact<{
  organizationId: string;
  networkServerId: string;
}>;


export type DeleteNetworkServerMutation = { deleteNetworkServer: { id: string } | null };

export type ConfirmNetworkServerMutationVariables = Exact<{
  organizationId: string;
  networkServerId: string;
}>;


export type ConfirmNetworkServerMutation = { confirmNetworkServer: { id: string } | null };

export type TestNetworkServerMutationVariables = Exact<{
  organizationId: string;
  networkServerId: string;
}>;


export type TestNetworkServerMutation = { testNetworkServer: { ok: boolean, message: string } | null };

export type FirstChartQueryVariables = Exact<{
  organizationId: string;
  deviceIds?: Array<string> | string | null | undefined;
  variables: Array<string> | string;
  from?: number | null | undefined;
}>;


export type FirstChartQuery = { series: Array<{ name: string, unit: string | null, type: VariableType | null, ts: Array<number>, values: Array<number> }> | null };

export type FirstStepsQueryVariables = Exact<{
  organizationId: string;
}>;


export type FirstStepsQuery = { devices: { items: Array<{ id: string, name: string | null, serial: string, latest: Array<{ name: string, ts: number, value: unknown }> }> } | null, products: { items: Array<{ id: string, name: string, variables: Array<{ name: string, type: VariableType }> }> } | null };

export type OverviewQueryVariables = Exact<{
  organizationId: string;
  silentSince: number;
  from?: number | null | undefined;
  to?: number | null | undefined;
  owns: boolean;
}>;


export type OverviewQuery = { charted: { totalCount: number | null, items: Array<{ id: string, name: string, activity: Array<{ ts: number, stored: number }> }> } | null, hooked: { totalCount: number | null, items: Array<{ id: string, name: string, all: { totalCount: number | null } | null, disabled: { totalCount: number | null, items: Array<{ id: string, url: string, disabled: boolean, disabledReason: HookDisabledReason | null, settings: { circuit: CircuitState, failuresInRow: number }, stats: { successRate: number | null, pending: number }, activity: Array<{ ts: number, failed: number }> }> } | null, failing: { totalCount: number | null, items: Array<{ id: string, url: string, disabled: boolean, disabledReason: HookDisabledReason | null, settings: { circuit: CircuitState, failuresInRow: number }, stats: { successRate: number | null, pending: number }, activity: Array<{ ts: number, failed: number }> }> } | null }> } | null, silent: { totalCount: number | null, items: Array<{ id: string, name: string | null, serial: string, lastRecordAt: string | null }> } | null, devices: { totalCount: number | null, items: Array<{ id: string, name: string | null, serial: string, latest: Array<{ name: string, ts: number, ahead: number | null, value: unknown }> }> } | null, products: { totalCount: number | null, items: Array<{ id: string, name: string, variables: Array<{ name: string, type: VariableType }> }> } | null, account: { activity?: Array<{ ts: number, stored: number, rejected: number, decodePartial: number, decodeFailed: number, rejections: Array<{ code: ItemErrorCode, count: number }> }> | null, opened: { totalCount: number | null, items: Array<{ openedAt: string }> }, open: { totalCount: number | null, items: Array<{ id: string, name: string, severity: AlertSeverity, applicationId: string, alertRuleId: string, openedAt: string, closedAt: string | null, closedReason: EpisodeEnd | null, acknowledgedAt: string | null, acknowledgedBy: string | null, openedBy: { recordId: string, ts: number, values: Record<string, unknown> } | null, openedState: Array<{ name: string, desired: unknown, desiredAt: string }> | null, closedBy: { recordId: string, ts: number, values: Record<string, unknown> } | null, device: { id: string, name: string | null, serial: string } | null }> }, critical: { totalCount: number | null }, jobs: { items: Array<{ id: string, kind: JobKind, state: JobState, done: number, total: number | null, changed: number, error: string | null, createdAt: string, updatedAt: string }> } } | null };

export type OverviewHookFragment = { id: string, url: string, disabled: boolean, disabledReason: HookDisabledReason | null, settings: { circuit: CircuitState, failuresInRow: number }, stats: { successRate: number | null, pending: number }, activity: Array<{ ts: number, failed: number }> };

export type UnheardQueryVariables = Exact<{
  organizationId: string;
}>;


export type UnheardQuery = { devices: { totalCount: number | null } | null, unheard: { totalCount: number | null } | null };

export type PaletteQueryVariables = Exact<{
  organizationId: string;
  q: string;
}>;


export type PaletteQuery = { devices: { items: Array<{ id: string, name: string | null, serial: string }> } | null, applications: { items: Array<{ id: string, name: string }> } | null, products: { items: Array<{ id: string, name: string, version: string }> } | null, hooked: { items: Array<{ id: string, name: string, hooks: { items: Array<{ id: string, url: string }> } | null }> } | null, organizationMembers: { items: Array<{ id: string, username: string, name: string | null }> } | null };

export type SetMemberMutationVariables = Exact<{
  organizationId: string;
  memberId: string;
  role?: Role | null | undefined;
}>;


export type SetMemberMutation = { setOrganizationMember: { id: string } | null };

export type RemoveMemberMutationVariables = Exact<{
  organizationId: string;
  memberId: string;
}>;


export type RemoveMemberMutation = { removeOrganizationMember: { id: string } | null };

export type CreateTeamMutationVariables = Exact<{
  organizationId: string;
  name: string;
  description?: string | null | undefined;
}>;


export type CreateTeamMutation = { createTeam: { id: string } | null };

export type DeleteTeamMutationVariables = Exact<{
  organizationId: string;
  teamId: string;
}>;


export type DeleteTeamMutation = { deleteTeam: { id: string } | null };

export type AddTeamMemberMutationVariables = Exact<{
  organizationId: string;
  teamId: string;
  memberId: string;
}>;


export type AddTeamMemberMutation = { addTeamMember: { id: string } | null };

export type RemoveTeamMemberMutationVariables = Exact<{
  organizationId: string;
  teamId: string;
  memberId: string;
}>;


export type RemoveTeamMemberMutation = { removeTeamMember: { id: string } | null };

export type GrantApplicationMutationVariables = Exact<{
  organizationId: string;
  teamId: string;
  applicationId: string;
  permission: Permission;
}>;


export type GrantApplicationMutation = { setTeamApplication: { id: string } | null };

export type RevokeApplicationMutationVariables = Exact<{
  organizationId: string;
  teamId: string;
  applicationId: string;
}>;


export type RevokeApplicationMutation = { removeTeamApplication: { id: string } | null };

export type FindUserQueryVariables = Exact<{
  q?: string | null | undefined;
}>;


export type FindUserQuery = { accounts: { items: Array<{ id: string, username: string }> } | null };

export type CreateInvitationMutationVariables = Exact<{
  organizationId: string;
  email: string;
  role: Role;
  teamIds?: Array<string> | string | null | undefined;
}>;


export type CreateInvitationMutation = { createInvitation: { url: string, mail: InvitationMail } | null };

export type ResendInvitationMutationVariables = Exact<{
  organizationId: string;
  invitationId: string;
}>;


export type ResendInvitationMutation = { resendInvitation: { url: string, mail: InvitationMail } | null };

export type RevokeInvitationMutationVariables = Exact<{
  organizationId: string;
  invitationId: string;
}>;


export type RevokeInvitationMutation = { revokeInvitation: { id: string } | null };

export type PeopleQueryVariables = Exact<{
  organizationId: string;
  limit: number;
  page: number;
  sort?: string | null | undefined;
  q?: string | null | undefined;
  owns: boolean;
}>;


export type PeopleQuery = { organizationMembers: { totalCount: number | null, items: Array<{ id: string, username: string, name: string | null, role: Role | null, teams: { totalCount: number | null, items: Array<{ id: string, name: string }> } }> } | null, teams: { totalCount: number | null, items: Array<{ id: string, name: string, description: string | null, members: { totalCount: number | null, items: Array<{ id: string, username: string }> }, grants: { totalCount: number | null, items: Array<{ permission: Permission, application: { id: string, name: string } }> } }> } | null, applications: { totalCount: number | null, items: Array<{ id: string, name: string }> } | null, invitations?: { items: Array<{ id: string, email: string, role: Role, expiresAt: string }> } | null, sessions?: { items: Array<{ id: string, createdAt: string, lastUsedAt: string, userAgent: string | null, address: string | null, current: boolean, user: { username: string } }> } | null };

export type CreateProductMutationVariables = Exact<{
  organizationId: string;
  name: string;
  version: string;
  variables: Array<VariableInput> | VariableInput;
}>;


export type CreateProductMutation = { createProduct: { id: string } | null };

export type DecodeFrameQueryVariables = Exact<{
  organizationId: string;
  productId: string;
  streamId: number;
  streamType: StreamType;
  payload: string;
  encoding?: string | null | undefined;
}>;


export type DecodeFrameQuery = { decodeFrame: { status: DecodeStatus, data: Record<string, unknown>, parts: Array<{ bytes: string, offset: number, variable: unknown, value: unknown, warning: string | null }>, unusedMappings: Array<{ variable: string, streamId: number, streamType: StreamType, varNumber: number }> } | null };

export type DeleteProductMutationVariables = Exact<{
  organizationId: string;
  productId: string;
}>;


export type DeleteProductMutation = { deleteProduct: { id: string } | null };

export type FormulaDevicesQueryVariables = Exact<{
  organizationId: string;
  productId: string;
}>;


export type FormulaDevicesQuery = { devices: { items: Array<{ id: string, serial: string, name: string | null }> } | null };

export type PreviewFormulasQueryVariables = Exact<{
  organizationId: string;
  productId: string;
  deviceId: string;
  derived: Array<DerivedVariableInput> | DerivedVariableInput;
  limit?: number | null | undefined;
}>;


export type PreviewFormulasQuery = { previewFormulas: { faults: Array<{ index: number | null, message: string, at: number | null }>, records: Array<{ recordId: string, ts: number, inputs: Record<string, unknown>, values: Array<{ name: string, value: unknown, code: string | null, input: string | null }> }> } | null };

export type ProductQueryVariables = Exact<{
  organizationId: string;
  productId: string;
  owns: boolean;
}>;


export type ProductQuery = { product: { id: string, name: string, version: string, public: boolean, deviceCount: number, createdAt: string, updatedAt: string, variables: Array<{ name: string, type: VariableType, unit: string | null, mappings: Array<{ streamId: number, streamType: StreamType, varNumber: number }> | null }>, settings: { version: string, variables: Array<{ name: string, decimals: number | null, counter: { rollsOverAt: number | null, jitter: number } | null, words: Array<{ value: string, word: string }> }>, derived: Array<{ name: string, unit: string | null, type: VariableType, formula: string }>, commands: Array<{ name: string, streamId: number | null, streamType: StreamType | null, confirmed: boolean, secret: boolean, parameters: Array<{ name: string, type: VariableType, unit: string | null }> }>, state: Array<{ name: string, type: VariableType, unit: string | null }> }, applications: { items: Array<{ id: string, name: string }> } } | null, provisioningTokens?: { items: Array<{ id: string, name: string | null, prefix: string, deviceLimit: number, deviceCount: number, createdAt: string, lastUsedAt: string | null, expiresAt: string, revokedAt: string | null }> } | null };

export type ProductsQueryVariables = Exact<{
  organizationId: string;
  limit: number;
  page: number;
  sort?: string | null | undefined;
  q?: string | null | undefined;
}>;


export type ProductsQuery = { products: { totalCount: number | null, items: Array<{ id: string, name: string, version: string, public: boolean, deviceCount: number, variables: Array<{ name: string }> }> } | null };

export type CreateProvisioningTokenMutationVariables = Exact<{
  organizationId: string;
  productId: string;
  name?: string | null | undefined;
  deviceLimit: number;
  expiresAt: string;
}>;


export type CreateProvisioningTokenMutation = { createProvisioningToken: { token: string } | null };

export type RevokeProvisioningTokenMutationVariables = Exact<{
  organizationId: string;
  productId: string;
  provisioningTokenId: string;
}>;


export type RevokeProvisioningTokenMutation = { revokeProvisioningToken: { id: string } | null };

export type PutProductSettingsMutationVariables = Exact<{
  organizationId: string;
  productId: string;
  settings: ProductSettingsInput;
  version?: string | null | undefined;
}>;


export type PutProductSettingsMutation = { putProductSettings: { id: string } | null };

export type RedecodeMutationVariables = Exact<{
  organizationId: string;
  productId: string;
  from?: number | null | undefined;
  to?: number | null | undefined;
  dryRun?: boolean | null | undefined;
}>;


export type RedecodeMutation = { redecodeProduct: { id: string } | null };

export type UpdateProductMutationVariables = Exact<{
  organizationId: string;
  productId: string;
  name: string;
  version: string;
  variables: Array<VariableInput> | VariableInput;
}>;


export type UpdateProductMutation = { updateProduct: { id: string } | null };

export type RevokeTokenMutationVariables = Exact<{
  organizationId: string;
  tokenId: string;
}>;


export type RevokeTokenMutation = { revokeApiToken: { id: string } | null };

export type SessionQueryVariables = Exact<{ [key: string]: never; }>;


export type SessionQuery = { account: { id: string, name: string | null, username: string, avatarURL: string } | null, viewer: { scope: TokenScope, role: Role, userId: string | null, mqtt: { port: number, encrypted: boolean } | null } | null };

export type MySessionsQueryVariables = Exact<{
  limit: number;
  page: number;
  sort: string;
}>;


export type MySessionsQuery = { mySessions: { totalCount: number | null, items: Array<{ id: string, createdAt: string, lastUsedAt: string, userAgent: string | null, address: string | null, current: boolean, user: { username: string } }> } | null };

export type SessionLineFragment = { id: string, createdAt: string, lastUsedAt: string, userAgent: string | null, address: string | null, current: boolean, user: { username: string } };

export type RevokeMySessionsMutationVariables = Exact<{
  sessionIds: Array<string> | string;
}>;


export type RevokeMySessionsMutation = { revokeMySessions: { count: number } | null };

export type RevokeSessionMutationVariables = Exact<{
  organizationId: string;
  sessionId: string;
}>;


export type RevokeSessionMutation = { revokeSession: { id: string } | null };

export type ShownVariablesFragment = { variables: Array<{ name: string, type: VariableType, unit: string | null, decimals: number | null, words: Record<string, unknown> | null }> };

export type CreateSiteMutationVariables = Exact<{
  organizationId: string;
  name: string;
  kind?: string | null | undefined;
  parentId?: string | null | undefined;
  timeZone?: string | null | undefined;
}>;


export type CreateSiteMutation = { createSite: { id: string } | null };

export type UpdateSiteMutationVariables = Exact<{
  organizationId: string;
  siteId: string;
  name: string;
  kind?: string | null | undefined;
  parentId?: string | null | undefined;
  timeZone?: string | null | undefined;
}>;


export type UpdateSiteMutation = { updateSite: { id: string } | null };

export type DeleteSiteMutationVariables = Exact<{
  organizationId: string;
  siteId: string;
  contents: SiteContents;
}>;


export type DeleteSiteMutation = { deleteSite: { id: string } | null };

export type MoveDevicesMutationVariables = Exact<{
  organizationId: string;
  siteId: string;
  serials: Array<string> | string;
}>;


export type MoveDevicesMutation = { moveDevices: { changed: number } | null };

export type SiteSeriesQueryVariables = Exact<{
  organizationId: string;
  siteId: string;
  variable: string;
  from?: number | null | undefined;
  to?: number | null | undefined;
  points?: number | null | undefined;
  calendarInterval?: CalendarInterval | null | undefined;
  timeZone?: string | null | undefined;
  perDevice?: DeviceReduction | null | undefined;
  combine?: DeviceCombination | null | undefined;
}>;


export type SiteSeriesQuery = { site: { id: string, groupSeries: Array<{ key: string | null, name: string | null, others: boolean, unit: string | null, interval: number | null, ts: Array<number>, values: Array<number>, lowest: Array<number>, highest: Array<number>, devices: Array<number>, expected: Array<number>, bridged: Array<number> }> } | null };

export type SiteQueryVariables = Exact<{
  organizationId: string;
  siteId: string;
  limit: number;
  page: number;
  sort?: string | null | undefined;
}>;


export type SiteQuery = { site: { id: string, name: string, kind: string | null, timeZone: string | null, externalId: string | null, parentId: string | null, path: Array<string>, parent: { id: string, name: string, timeZone: string | null, parent: { id: string, name: string, timeZone: string | null, parent: { id: string, name: string, timeZone: string | null, parent: { id: string, name: string, timeZone: string | null, parent: { id: string, name: string, timeZone: string | null, parent: { id: string, name: string, timeZone: string | null, parent: { id: string, name: string, timeZone: string | null } | null } | null } | null } | null } | null } | null } | null, children: { totalCount: number | null, items: Array<{ id: string, name: string, kind: string | null, path: Array<string>, devices: { totalCount: number | null } }> }, devices: { totalCount: number | null, items: Array<{ id: string, name: string | null, serial: string, lastRecordAt: string | null, site: { id: string, name: string } | null }> }, measured: { totalCount: number | null, items: Array<{ id: string, product: { id: string, settings: { variables: Array<{ name: string, counter: { jitter: number } | null }> }, variables: Array<{ name: string, type: VariableType, unit: string | null, decimals: number | null, words: Record<string, unknown> | null }> } | null }> } } | null, products: { items: Array<{ id: string, settings: { variables: Array<{ name: string, counter: { jitter: number } | null }> }, variables: Array<{ name: string, type: VariableType, unit: string | null, decimals: number | null, words: Record<string, unknown> | null }> }> } | null };

export type SiteAboveFragment = { id: string, name: string, timeZone: string | null };

export type MeasuredProductFragment = { id: string, settings: { variables: Array<{ name: string, counter: { jitter: number } | null }> }, variables: Array<{ name: string, type: VariableType, unit: string | null, decimals: number | null, words: Record<string, unknown> | null }> };

export type SitesQueryVariables = Exact<{
  organizationId: string;
  limit: number;
  q?: string | null | undefined;
}>;


export type SitesQuery = { sites: { totalCount: number | null, items: Array<{ id: string, name: string, kind: string | null, path: Array<string>, devices: { totalCount: number | null } }> } | null };

export type SiteChoicesQueryVariables = Exact<{
  organizationId: string;
  limit: number;
}>;


export type SiteChoicesQuery = { sites: { totalCount: number | null, items: Array<{ id: string, name: string, kind: string | null, path: Array<string> }> } | null };

export type SiteLineFragment = { id: string, name: string, kind: string | null, path: Array<string> };

export type TokensQueryVariables = Exact<{
  organizationId: string;
  page: number;
  limit: number;
  sort?: string | null | undefined;
}>;


export type TokensQuery = { apiTokens: { totalCount: number | null, items: Array<{ id: string, name: string | null, prefix: string, scope: TokenScope, createdAt: string, lastUsedAt: string | null, expiresAt: string | null, revokedAt: string | null, user: { username: string } | null }> } | null };

export type UsageQueryVariables = Exact<{
  organizationId: string;
  fromDay: string;
}>;


export type UsageQuery = { usage: { items: Array<{ day: string, records: number, bytes: number, deliveries: number, calls: number | null, commands: number | null }> } | null, byProduct: { totalCount: number | null, items: Array<{ productId: string | null, records: number, bytes: number, deliveries: number }> } | null, byApplication: { totalCount: number | null, items: Array<{ applicationId: string | null, records: number, bytes: number, deliveries: number }> } | null, quota: { recordsPerDay: { limit: number | null, used: number | null, until: string | null }, devices: { limit: number | null, used: number | null, until: string | null }, storedBytes: { limit: number | null, used: number | null, until: string | null }, commandsPerDay: { limit: number | null, used: number | null, until: string | null } } | null, products: { items: Array<{ id: string, name: string }> } | null, applications: { items: Array<{ id: string, name: string }> } | null };

export type QuotaLineFragment = { limit: number | null, used: number | null, until: string | null };

export type ViewerNameQueryVariables = Exact<{
  id: string;
}>;


export type ViewerNameQuery = { node:
    | { id: string }
    | { id: string }
    | { id: string }
    | { id: string }
    | { id: string }
    | { id: string }
    | { id: string }
    | { id: string }
    | { id: string }
    | { id: string }
    | { name: string | null, username: string, id: string }
    | { id: string }
    | { id: string }
    | { id: string }
    | { id: string }
    | { id: string }
    | { id: string }
    | { id: string }
    | { id: string }
    | { id: string }
    | { id: string }
    | { id: string }
   | null };

export class TypedDocumentString<TResult, TVariables>
  extends String
  implements DocumentTypeDecoration<TResult, TVariables>
{
  __apiType?: NonNullable<DocumentTypeDecoration<TResult, TVariables>['__apiType']>;
  private value: string;
  public __meta__?: Record<string, any> | undefined;

  constructor(value: string, __meta__?: Record<string, any> | undefined) {
    super(value);
    this.value = value;
    this.__meta__ = __meta__;
  }

  override toString(): string & DocumentTypeDecoration<TResult, TVariables> {
    return this.value;
  }
}
export const EpisodeLineFragmentDoc = new TypedDocumentString(`
    fragment EpisodeLine on Episode {
  id
  name
  severity
  applicationId
  alertRuleId
  openedAt
  openedBy {
    recordId
    ts
    values
  }
  openedState {
    name
    desired
    desiredAt
  }
  closedAt
  closedBy {
    recordId
    ts
    values
  }
  closedReason
  acknowledgedAt
  acknowledgedBy
  device {
    id
    name
    serial
  }
}
    `, {"fragmentName":"EpisodeLine"}) as unknown as TypedDocumentString<EpisodeLineFragment, unknown>;
export const ConditionFragmentDoc = new TypedDocumentString(`
    fragment Condition on AlertCondition {
  all {
    variable
    operator
    value
  }
  any {
    variable
    operator
    value
  }
  query
}
    `, {"fragmentName":"Condition"}) as unknown as TypedDocumentString<ConditionFragment, unknown>;
export const RuleLineFragmentDoc = new TypedDocumentString(`
    fragment RuleLine on AlertRule {
  id
  applicationId
  name
  severity
  kind
  products
  sites
  tags
  recipients
  when {
    ...Condition
  }
  until {
    ...Condition
  }
  for
  maxGap
  closeAfter
  silentFor
  variable
  unsettledFor
  stateName
  disabled
  disabledAt
  disabledReason
  undecided {
    since
    deviceCount
  }
}
    fragment Condition on AlertCondition {
  all {
    variable
    operator
    value
  }
  any {
    variable
    operator
    value
  }
  query
}`, {"fragmentName":"RuleLine"}) as unknown as TypedDocumentString<RuleLineFragment, unknown>;
export const AttributeLineFragmentDoc = new TypedDocumentString(`
    fragment AttributeLine on Attribute {
  name
  value
  validFrom
}
    `, {"fragmentName":"AttributeLine"}) as unknown as TypedDocumentString<AttributeLineFragment, unknown>;
export const AttributeVersionLineFragmentDoc = new TypedDocumentString(`
    fragment AttributeVersionLine on AttributeVersion {
  validFrom
  value
}
    `, {"fragmentName":"AttributeVersionLine"}) as unknown as TypedDocumentString<AttributeVersionLineFragment, unknown>;
export const AuditLineFragmentDoc = new TypedDocumentString(`
    fragment AuditLine on AuditEvent {
  id
  at
  action
  outcome
  requestId
  address
  actor {
    kind
    actorId
    name
    userId
    userName
  }
  target {
    kind
    targetId
    name
  }
  changes {
    field
    before
    after
  }
}
    `, {"fragmentName":"AuditLine"}) as unknown as TypedDocumentString<AuditLineFragment, unknown>;
export const ShownVariablesFragmentDoc = new TypedDocumentString(`
    fragment ShownVariables on Product {
  variables: recordedVariables {
    name
    type
    unit
    decimals
    words
  }
}
    `, {"fragmentName":"ShownVariables"}) as unknown as TypedDocumentString<ShownVariablesFragment, unknown>;
export const DashboardSubjectsFragmentDoc = new TypedDocumentString(`
    fragment DashboardSubjects on Application {
  id
  name
  products(limit: 100, sort: "name") {
    items {
      id
      name
      version
      ...ShownVariables
    }
  }
  devices(limit: 500, sort: "name") {
    totalCount
    items {
      id
      name
      serial
      tags
    }
  }
}
    fragment ShownVariables on Product {
  variables: recordedVariables {
    name
    type
    unit
    decimals
    words
  }
}`, {"fragmentName":"DashboardSubjects"}) as unknown as TypedDocumentString<DashboardSubjectsFragment, unknown>;
export const DashboardApplicationFragmentDoc = new TypedDocumentString(`
    fragment DashboardApplication on Application {
  ...DashboardSubjects
  permission
  hasDashboard
  dashboard {
    version
    document
    updatedAt
    updatedBy {
      id
      name
      username
    }
  }
}
    fragment DashboardSubjects on Application {
  id
  name
  products(limit: 100, sort: "name") {
    items {
      id
      name
      version
      ...ShownVariables
    }
  }
  devices(limit: 500, sort: "name") {
    totalCount
    items {
      id
      name
      serial
      tags
    }
  }
}
fragment ShownVariables on Product {
  variables: recordedVariables {
    name
    type
    unit
    decimals
    words
  }
}`, {"fragmentName":"DashboardApplication"}) as unknown as TypedDocumentString<DashboardApplicationFragment, unknown>;
export const PanelDeviceFragmentDoc = new TypedDocumentString(`
    fragment PanelDevice on Device {
  id
  name
  serial
}
    `, {"fragmentName":"PanelDevice"}) as unknown as TypedDocumentString<PanelDeviceFragment, unknown>;
export const PanelLineFragmentDoc = new TypedDocumentString(`
    fragment PanelLine on Series {
  name
  unit
  type
  interval
  ts
  values
}
    `, {"fragmentName":"PanelLine"}) as unknown as TypedDocumentString<PanelLineFragment, unknown>;
export const PanelNewestFragmentDoc = new TypedDocumentString(`
    fragment PanelNewest on Series {
  name
  values
}
    `, {"fragmentName":"PanelNewest"}) as unknown as TypedDocumentString<PanelNewestFragment, unknown>;
export const PanelStatesFragmentDoc = new TypedDocumentString(`
    fragment PanelStates on States {
  name
  unit
  type
  interval
  ts
  seconds
  values
}
    `, {"fragmentName":"PanelStates"}) as unknown as TypedDocumentString<PanelStatesFragment, unknown>;
export const PanelValueFragmentDoc = new TypedDocumentString(`
    fragment PanelValue on LatestValue {
  name
  value
  unit
}
    `, {"fragmentName":"PanelValue"}) as unknown as TypedDocumentString<PanelValueFragment, unknown>;
export const PanelPlaceFragmentDoc = new TypedDocumentString(`
    fragment PanelPlace on Device {
  location {
    lat
    lon
  }
  openEpisodes(limit: 1) {
    totalCount
  }
}
    `, {"fragmentName":"PanelPlace"}) as unknown as TypedDocumentString<PanelPlaceFragment, unknown>;
export const SuggestedDeviceFragmentDoc = new TypedDocumentString(`
    fragment SuggestedDevice on Device {
  id
  name
  serial
  tags
}
    `, {"fragmentName":"SuggestedDevice"}) as unknown as TypedDocumentString<SuggestedDeviceFragment, unknown>;
export const CommandLineFragmentDoc = new TypedDocumentString(`
    fragment CommandLine on Command {
  id
  name
  parameters
  payload
  streamId
  secret
  sender
  createdAt
  expiresAt
  state
  code
  detail
  stateAt
  evidence {
    at
    source
    kind
    code
    detail
  }
}
    `, {"fragmentName":"CommandLine"}) as unknown as TypedDocumentString<CommandLineFragment, unknown>;
export const ChangedDevicesFragmentDoc = new TypedDocumentString(`
    fragment ChangedDevices on DeviceBatch {
  matched
  changed
  blocked
  job {
    id
  }
}
    `, {"fragmentName":"ChangedDevices"}) as unknown as TypedDocumentString<ChangedDevicesFragment, unknown>;
export const DeclaredCommandFragmentDoc = new TypedDocumentString(`
    fragment DeclaredCommand on CommandDeclaration {
  name
  parameters {
    name
    type
    unit
  }
  streamId
  streamType
  confirmed
  secret
}
    `, {"fragmentName":"DeclaredCommand"}) as unknown as TypedDocumentString<DeclaredCommandFragment, unknown>;
export const CommandedProductFragmentDoc = new TypedDocumentString(`
    fragment CommandedProduct on Product {
  id
  name
  version
  settings {
    commands {
      ...DeclaredCommand
    }
  }
}
    fragment DeclaredCommand on CommandDeclaration {
  name
  parameters {
    name
    type
    unit
  }
  streamId
  streamType
  confirmed
  secret
}`, {"fragmentName":"CommandedProduct"}) as unknown as TypedDocumentString<CommandedProductFragment, unknown>;
export const ExploredLineFragmentDoc = new TypedDocumentString(`
    fragment ExploredLine on Series {
  name
  unit
  type
  deviceId
  interval
  ts
  values
}
    `, {"fragmentName":"ExploredLine"}) as unknown as TypedDocumentString<ExploredLineFragment, unknown>;
export const GroupLineFragmentDoc = new TypedDocumentString(`
    fragment GroupLine on GroupSeries {
  key
  name
  others
  unit
  interval
  ts
  values
  lowest
  highest
  devices
  expected
  bridged
}
    `, {"fragmentName":"GroupLine"}) as unknown as TypedDocumentString<GroupLineFragment, unknown>;
export const JobLineFragmentDoc = new TypedDocumentString(`
    fragment JobLine on Job {
  id
  kind
  state
  done
  total
  changed
  error
  createdAt
  updatedAt
}
    `, {"fragmentName":"JobLine"}) as unknown as TypedDocumentString<JobLineFragment, unknown>;
export const NetworkServerLineFragmentDoc = new TypedDocumentString(`
    fragment NetworkServerLine on NetworkServer {
  id
  kind
  name
  address
  application
  proposed
}
    `, {"fragmentName":"NetworkServerLine"}) as unknown as TypedDocumentString<NetworkServerLineFragment, unknown>;
export const OverviewHookFragmentDoc = new TypedDocumentString(`
    fragment OverviewHook on Hook {
  id
  url
  disabled
  disabledReason
  settings {
    circuit
    failuresInRow
  }
  stats {
    successRate
    pending
  }
  activity(from: $from, to: $to) {
    ts
    failed
  }
}
    `, {"fragmentName":"OverviewHook"}) as unknown as TypedDocumentString<OverviewHookFragment, unknown>;
export const SessionLineFragmentDoc = new TypedDocumentString(`
    fragment SessionLine on Session {
  id
  createdAt
  lastUsedAt
  userAgent
  address
  current
  user {
    username
  }
}
    `, {"fragmentName":"SessionLine"}) as unknown as TypedDocumentString<SessionLineFragment, unknown>;
export const SiteAboveFragmentDoc = new TypedDocumentString(`
    fragment SiteAbove on Site {
  id
  name
  timeZone
}
    `, {"fragmentName":"SiteAbove"}) as unknown as TypedDocumentString<SiteAboveFragment, unknown>;
export const MeasuredProductFragmentDoc = new TypedDocumentString(`
    fragment MeasuredProduct on Product {
  id
  ...ShownVariables
  settings {
    variables {
      name
      counter {
        jitter
      }
    }
  }
}
    fragment ShownVariables on Product {
  variables: recordedVariables {
    name
    type
    unit
    decimals
    words
  }
}`, {"fragmentName":"MeasuredProduct"}) as unknown as TypedDocumentString<MeasuredProductFragment, unknown>;
export const SiteLineFragmentDoc = new TypedDocumentString(`
    fragment SiteLine on Site {
  id
  name
  kind
  path
}
    `, {"fragmentName":"SiteLine"}) as unknown as TypedDocumentString<SiteLineFragment, unknown>;
export const QuotaLineFragmentDoc = new TypedDocumentString(`
    fragment QuotaLine on QuotaState {
  limit
  used
  until
}
    `, {"fragmentName":"QuotaLine"}) as unknown as TypedDocumentString<QuotaLineFragment, unknown>;
export const AcknowledgeDocument = new TypedDocumentString(`
    mutation Acknowledge($organizationId: ID!, $applicationId: ID!, $ids: [ID!], $severity: AlertSeverity, $state: EpisodeState, $alertRuleId: ID, $deviceId: ID) {
  acknowledgeEpisodes(
    organizationId: $organizationId
    applicationId: $applicationId
    ids: $ids
    severity: $severity
    state: $state
    alertRuleId: $alertRuleId
    deviceId: $deviceId
  ) {
    count
    hasMore
  }
}
    `) as unknown as TypedDocumentString<AcknowledgeMutation, AcknowledgeMutationVariables>;
export const UnacknowledgedDocument = new TypedDocumentString(`
    query Unacknowledged($applicationId: ID, $severity: AlertSeverity, $state: EpisodeState, $alertRuleId: ID, $deviceId: ID) {
  account {
    id
    episodes(
      applicationId: $applicationId
      severity: $severity
      state: $state
      acknowledged: false
      alertRuleId: $alertRuleId
      deviceId: $deviceId
      limit: 1
    ) {
      items {
        applicationId
      }
    }
  }
}
    `) as unknown as TypedDocumentString<UnacknowledgedQuery, UnacknowledgedQueryVariables>;
export const AlertsDocument = new TypedDocumentString(`
    query Alerts($organizationId: ID!, $applicationId: ID, $severity: AlertSeverity, $state: EpisodeState, $acknowledged: Boolean, $alertRuleId: ID, $deviceId: ID, $deviceIds: [ID!], $ofDevice: Boolean!, $limit: Int!, $page: Int!) {
  account {
    id
    episodes(
      applicationId: $applicationId
      severity: $severity
      state: $state
      acknowledged: $acknowledged
      alertRuleId: $alertRuleId
      deviceId: $deviceId
      limit: $limit
      page: $page
      sort: "state,-severity,-openedAt"
    ) {
      totalCount
      items {
        ...EpisodeLine
        alertRule {
          id
        }
      }
    }
    waiting: episodes(
      applicationId: $applicationId
      severity: $severity
      state: $state
      acknowledged: false
      alertRuleId: $alertRuleId
      deviceId: $deviceId
      limit: 1
    ) {
      totalCount
    }
  }
  applications(organizationId: $organizationId, limit: 200, sort: "name") {
    items {
      id
      name
    }
  }
  organizationMembers(
    organizationId: $organizationId
    limit: 200
    sort: "username"
  ) {
    items {
      id
      name
      username
    }
  }
  devices(organizationId: $organizationId, ids: $deviceIds, limit: 1) @include(if: $ofDevice) {
    items {
      id
      name
      serial
    }
  }
}
    fragment EpisodeLine on Episode {
  id
  name
  severity
  applicationId
  alertRuleId
  openedAt
  openedBy {
    recordId
    ts
    values
  }
  openedState {
    name
    desired
    desiredAt
  }
  closedAt
  closedBy {
    recordId
    ts
    values
  }
  closedReason
  acknowledgedAt
  acknowledgedBy
  device {
    id
    name
    serial
  }
}`) as unknown as TypedDocumentString<AlertsQuery, AlertsQueryVariables>;
export const OpenEpisodesDocument = new TypedDocumentString(`
    query OpenEpisodes {
  account {
    id
    episodes(state: open, limit: 1) {
      totalCount
    }
  }
}
    `) as unknown as TypedDocumentString<OpenEpisodesQuery, OpenEpisodesQueryVariables>;
export const PreviewAlertRuleDocument = new TypedDocumentString(`
    query PreviewAlertRule($organizationId: ID!, $applicationId: ID!, $kind: AlertKind!, $products: [ID!], $tags: [String!], $sites: [ID!], $when: AlertConditionInput, $until: AlertConditionInput, $for: Float, $maxGap: Float, $closeAfter: Float, $silentFor: Float, $variable: String, $unsettledFor: Float, $stateName: String) {
  previewAlertRule(
    organizationId: $organizationId
    applicationId: $applicationId
    kind: $kind
    products: $products
    tags: $tags
    sites: $sites
    when: $when
    until: $until
    for: $for
    maxGap: $maxGap
    closeAfter: $closeAfter
    silentFor: $silentFor
    variable: $variable
    unsettledFor: $unsettledFor
    stateName: $stateName
  ) {
    from
    to
    episodeCount
    deviceCount
    devicesRead
    recordsRead
    isComplete
    incompleteReason
    episodes {
      deviceId
      openedAt
      closedAt
    }
  }
}
    `) as unknown as TypedDocumentString<PreviewAlertRuleQuery, PreviewAlertRuleQueryVariables>;
export const PreviewChartDocument = new TypedDocumentString(`
    query PreviewChart($organizationId: ID!, $deviceId: ID!, $variables: [String!], $from: UnixTime, $to: UnixTime) {
  device(organizationId: $organizationId, deviceId: $deviceId) {
    id
    name
    serial
    series(variables: $variables, function: lttb, from: $from, to: $to, points: 400) {
      name
      unit
      type
      ts
      values
    }
  }
}
    `) as unknown as TypedDocumentString<PreviewChartQuery, PreviewChartQueryVariables>;
export const CreateAlertRuleDocument = new TypedDocumentString(`
    mutation CreateAlertRule($organizationId: ID!, $applicationId: ID!, $name: String!, $kind: AlertKind!, $severity: AlertSeverity, $products: [ID!], $tags: [String!], $sites: [ID!], $when: AlertConditionInput, $until: AlertConditionInput, $for: Float, $maxGap: Float, $closeAfter: Float, $silentFor: Float, $variable: String, $unsettledFor: Float, $stateName: String, $recipients: [String!]) {
  createAlertRule(
    organizationId: $organizationId
    applicationId: $applicationId
    name: $name
    kind: $kind
    severity: $severity
    products: $products
    tags: $tags
    sites: $sites
    when: $when
    until: $until
    for: $for
    maxGap: $maxGap
    closeAfter: $closeAfter
    silentFor: $silentFor
    variable: $variable
    unsettledFor: $unsettledFor
    stateName: $stateName
    recipients: $recipients
  ) {
    id
  }
}
    `) as unknown as TypedDocumentString<CreateAlertRuleMutation, CreateAlertRuleMutationVariables>;
export const UpdateAlertRuleDocument = new TypedDocumentString(`
    mutation UpdateAlertRule($organizationId: ID!, $applicationId: ID!, $alertRuleId: ID!, $name: String!, $severity: AlertSeverity, $products: [ID!], $tags: [String!], $sites: [ID!], $when: AlertConditionInput, $until: AlertConditionInput, $for: Float, $maxGap: Float, $closeAfter: Float, $silentFor: Float, $variable: String, $unsettledFor: Float, $stateName: String, $recipients: [String!]) {
  updateAlertRule(
    organizationId: $organizationId
    applicationId: $applicationId
    alertRuleId: $alertRuleId
    name: $name
    severity: $severity
    products: $products
    tags: $tags
    sites: $sites
    when: $when
    until: $until
    for: $for
    maxGap: $maxGap
    closeAfter: $closeAfter
    silentFor: $silentFor
    variable: $variable
    unsettledFor: $unsettledFor
    stateName: $stateName
    recipients: $recipients
  ) {
    id
  }
}
    `) as unknown as TypedDocumentString<UpdateAlertRuleMutation, UpdateAlertRuleMutationVariables>;
export const SwitchAlertRuleDocument = new TypedDocumentString(`
    mutation SwitchAlertRule($organizationId: ID!, $applicationId: ID!, $alertRuleId: ID!, $name: String!, $disabled: Boolean!) {
  updateAlertRule(
    organizationId: $organizationId
    applicationId: $applicationId
    alertRuleId: $alertRuleId
    name: $name
    disabled: $disabled
  ) {
    id
  }
}
    `) as unknown as TypedDocumentString<SwitchAlertRuleMutation, SwitchAlertRuleMutationVariables>;
export const DeleteAlertRuleDocument = new TypedDocumentString(`
    mutation DeleteAlertRule($organizationId: ID!, $applicationId: ID!, $alertRuleId: ID!) {
  deleteAlertRule(
    organizationId: $organizationId
    applicationId: $applicationId
    alertRuleId: $alertRuleId
  ) {
    id
  }
}
    `) as unknown as TypedDocumentString<DeleteAlertRuleMutation, DeleteAlertRuleMutationVariables>;
export const AlertRuleDocument = new TypedDocumentString(`
    query AlertRule($organizationId: ID!, $applicationId: ID!, $alertRuleId: ID!, $isNew: Boolean!) {
  application(organizationId: $organizationId, applicationId: $applicationId) {
    id
    name
    permission
    products(limit: 100, sort: "name") {
      items {
        id
        name
        version
        ...ShownVariables
        settings {
          state {
            name
          }
        }
      }
    }
    devices(limit: 200, sort: "name") {
      items {
        id
        name
        serial
        tags
      }
    }
  }
  sites(organizationId: $organizationId, limit: 500) {
    items {
      id
      name
      path
    }
  }
  alertRule(
    organizationId: $organizationId
    applicationId: $applicationId
    alertRuleId: $alertRuleId
  ) @skip(if: $isNew) {
    ...RuleLine
    recipientStates {
      address
      state
      reason
    }
  }
}
    fragment RuleLine on AlertRule {
  id
  applicationId
  name
  severity
  kind
  products
  sites
  tags
  recipients
  when {
    ...Condition
  }
  until {
    ...Condition
  }
  for
  maxGap
  closeAfter
  silentFor
  variable
  unsettledFor
  stateName
  disabled
  disabledAt
  disabledReason
  undecided {
    since
    deviceCount
  }
}
fragment Condition on AlertCondition {
  all {
    variable
    operator
    value
  }
  any {
    variable
    operator
    value
  }
  query
}
fragment ShownVariables on Product {
  variables: recordedVariables {
    name
    type
    unit
    decimals
    words
  }
}`) as unknown as TypedDocumentString<AlertRuleQuery, AlertRuleQueryVariables>;
export const AlertRulesDocument = new TypedDocumentString(`
    query AlertRules($organizationId: ID!, $applicationIds: [ID!], $limit: Int!, $page: Int!, $sort: String) {
  applications(organizationId: $organizationId, limit: 200, sort: "name") {
    items {
      id
      name
    }
  }
  chosen: applications(
    organizationId: $organizationId
    ids: $applicationIds
    limit: 1
    sort: "name"
  ) {
    items {
      id
      name
      permission
      alertRules(limit: $limit, page: $page, sort: $sort) {
        totalCount
        items {
          ...RuleLine
        }
      }
    }
  }
}
    fragment RuleLine on AlertRule {
  id
  applicationId
  name
  severity
  kind
  products
  sites
  tags
  recipients
  when {
    ...Condition
  }
  until {
    ...Condition
  }
  for
  maxGap
  closeAfter
  silentFor
  variable
  unsettledFor
  stateName
  disabled
  disabledAt
  disabledReason
  undecided {
    since
    deviceCount
  }
}
fragment Condition on AlertCondition {
  all {
    variable
    operator
    value
  }
  any {
    variable
    operator
    value
  }
  query
}`) as unknown as TypedDocumentString<AlertRulesQuery, AlertRulesQueryVariables>;
export const ApplicationDocument = new TypedDocumentString(`
    query Application($organizationId: ID!, $applicationId: ID!, $limit: Int!, $page: Int!, $sort: String) {
  application(organizationId: $organizationId, applicationId: $applicationId) {
    id
    name
    description
    hasDashboard
    permission
    createdAt
    devices(limit: $limit, page: $page, sort: $sort) {
      totalCount
      items {
        id
        name
        serial
        product {
          id
          name
        }
      }
    }
    placed: devices(limit: 500) {
      items {
        id
        name
        serial
        location {
          lat
          lon
        }
      }
    }
    hooks(limit: 50) {
      totalCount
      items {
        id
        url
        disabled
      }
    }
    openEpisodeCount
    alertRules(limit: 50, sort: "-severity,name") {
      totalCount
      items {
        ...RuleLine
      }
    }
    grants(limit: 100, sort: "name") {
      totalCount
      items {
        permission
        team {
          id
          name
          members(limit: 100) {
            totalCount
            items {
              id
              username
            }
          }
        }
      }
    }
  }
  organizationMembers(
    organizationId: $organizationId
    role: owner
    limit: 100
    sort: "username"
  ) {
    totalCount
    items {
      id
      name
      username
    }
  }
}
    fragment RuleLine on AlertRule {
  id
  applicationId
  name
  severity
  kind
  products
  sites
  tags
  recipients
  when {
    ...Condition
  }
  until {
    ...Condition
  }
  for
  maxGap
  closeAfter
  silentFor
  variable
  unsettledFor
  stateName
  disabled
  disabledAt
  disabledReason
  undecided {
    since
    deviceCount
  }
}
fragment Condition on AlertCondition {
  all {
    variable
    operator
    value
  }
  any {
    variable
    operator
    value
  }
  query
}`) as unknown as TypedDocumentString<ApplicationQuery, ApplicationQueryVariables>;
export const ApplicationsDocument = new TypedDocumentString(`
    query Applications($organizationId: ID!, $limit: Int!, $page: Int!, $sort: String, $q: String) {
  applications(
    organizationId: $organizationId
    limit: $limit
    page: $page
    sort: $sort
    q: $q
  ) {
    totalCount
    items {
      id
      name
      description
      permission
      devices(limit: 1) {
        totalCount
      }
      teams(limit: 20, sort: "name") {
        totalCount
        items {
          id
          name
        }
      }
    }
  }
}
    `) as unknown as TypedDocumentString<ApplicationsQuery, ApplicationsQueryVariables>;
export const CreateApplicationDocument = new TypedDocumentString(`
    mutation CreateApplication($organizationId: ID!, $name: String!, $description: String) {
  createApplication(
    organizationId: $organizationId
    name: $name
    description: $description
  ) {
    id
  }
}
    `) as unknown as TypedDocumentString<CreateApplicationMutation, CreateApplicationMutationVariables>;
export const UpdateApplicationDocument = new TypedDocumentString(`
    mutation UpdateApplication($organizationId: ID!, $applicationId: ID!, $name: String!, $description: String, $hasDashboard: Boolean!) {
  updateApplication(
    organizationId: $organizationId
    applicationId: $applicationId
    name: $name
    description: $description
    hasDashboard: $hasDashboard
  ) {
    id
  }
}
    `) as unknown as TypedDocumentString<UpdateApplicationMutation, UpdateApplicationMutationVariables>;
export const DeleteApplicationDocument = new TypedDocumentString(`
    mutation DeleteApplication($organizationId: ID!, $applicationId: ID!) {
  deleteApplication(
    organizationId: $organizationId
    applicationId: $applicationId
  ) {
    id
  }
}
    `) as unknown as TypedDocumentString<DeleteApplicationMutation, DeleteApplicationMutationVariables>;
export const LinkDeviceDocument = new TypedDocumentString(`
    mutation LinkDevice($organizationId: ID!, $applicationId: ID!, $deviceId: ID!) {
  addApplicationDevice(
    organizationId: $organizationId
    applicationId: $applicationId
    deviceId: $deviceId
  ) {
    id
  }
}
    `) as unknown as TypedDocumentString<LinkDeviceMutation, LinkDeviceMutationVariables>;
export const UnlinkDeviceDocument = new TypedDocumentString(`
    mutation UnlinkDevice($organizationId: ID!, $applicationId: ID!, $deviceId: ID!) {
  removeApplicationDevice(
    organizationId: $organizationId
    applicationId: $applicationId
    deviceId: $deviceId
  ) {
    id
  }
}
    `) as unknown as TypedDocumentString<UnlinkDeviceMutation, UnlinkDeviceMutationVariables>;
export const DeviceBySerialDocument = new TypedDocumentString(`
    query DeviceBySerial($organizationId: ID!, $deviceSerial: Serial!) {
  deviceBySerial(organizationId: $organizationId, deviceSerial: $deviceSerial) {
    id
  }
}
    `) as unknown as TypedDocumentString<DeviceBySerialQuery, DeviceBySerialQueryVariables>;
export const DeviceAttributesDocument = new TypedDocumentString(`
    query DeviceAttributes($organizationId: ID!, $id: ID!) {
  owner: device(organizationId: $organizationId, deviceId: $id) {
    id
    attributeNames
    attributes {
      ...AttributeLine
    }
  }
}
    fragment AttributeLine on Attribute {
  name
  value
  validFrom
}`) as unknown as TypedDocumentString<DeviceAttributesQuery, DeviceAttributesQueryVariables>;
export const SiteAttributesDocument = new TypedDocumentString(`
    query SiteAttributes($organizationId: ID!, $id: ID!) {
  owner: site(organizationId: $organizationId, siteId: $id) {
    id
    attributeNames
    attributes {
      ...AttributeLine
    }
  }
}
    fragment AttributeLine on Attribute {
  name
  value
  validFrom
}`) as unknown as TypedDocumentString<SiteAttributesQuery, SiteAttributesQueryVariables>;
export const DeviceAttributeVersionsDocument = new TypedDocumentString(`
    query DeviceAttributeVersions($organizationId: ID!, $id: ID!, $name: String!, $before: UnixTime) {
  owner: device(organizationId: $organizationId, deviceId: $id) {
    id
    attributeVersions(name: $name, before: $before) {
      ...AttributeVersionLine
    }
  }
}
    fragment AttributeVersionLine on AttributeVersion {
  validFrom
  value
}`) as unknown as TypedDocumentString<DeviceAttributeVersionsQuery, DeviceAttributeVersionsQueryVariables>;
export const SiteAttributeVersionsDocument = new TypedDocumentString(`
    query SiteAttributeVersions($organizationId: ID!, $id: ID!, $name: String!, $before: UnixTime) {
  owner: site(organizationId: $organizationId, siteId: $id) {
    id
    attributeVersions(name: $name, before: $before) {
      ...AttributeVersionLine
    }
  }
}
    fragment AttributeVersionLine on AttributeVersion {
  validFrom
  value
}`) as unknown as TypedDocumentString<SiteAttributeVersionsQuery, SiteAttributeVersionsQueryVariables>;
export const SetDeviceAttributesDocument = new TypedDocumentString(`
    mutation SetDeviceAttributes($organizationId: ID!, $id: ID!, $attributes: [AttributeInput!]!) {
  changed: setDeviceAttributes(
    organizationId: $organizationId
    deviceId: $id
    attributes: $attributes
  ) {
    attributes {
      name
    }
  }
}
    `) as unknown as TypedDocumentString<SetDeviceAttributesMutation, SetDeviceAttributesMutationVariables>;
export const SetSiteAttributesDocument = new TypedDocumentString(`
    mutation SetSiteAttributes($organizationId: ID!, $id: ID!, $attributes: [AttributeInput!]!) {
  changed: setSiteAttributes(
    organizationId: $organizationId
    siteId: $id
    attributes: $attributes
  ) {
    attributes {
      name
    }
  }
}
    `) as unknown as TypedDocumentString<SetSiteAttributesMutation, SetSiteAttributesMutationVariables>;
export const RemoveDeviceAttributeDocument = new TypedDocumentString(`
    mutation RemoveDeviceAttribute($organizationId: ID!, $id: ID!, $name: String!, $validFrom: UnixTime) {
  changed: removeDeviceAttribute(
    organizationId: $organizationId
    deviceId: $id
    name: $name
    validFrom: $validFrom
  ) {
    attributes {
      name
    }
  }
}
    `) as unknown as TypedDocumentString<RemoveDeviceAttributeMutation, RemoveDeviceAttributeMutationVariables>;
export const RemoveSiteAttributeDocument = new TypedDocumentString(`
    mutation RemoveSiteAttribute($organizationId: ID!, $id: ID!, $name: String!, $validFrom: UnixTime) {
  changed: removeSiteAttribute(
    organizationId: $organizationId
    siteId: $id
    name: $name
    validFrom: $validFrom
  ) {
    attributes {
      name
    }
  }
}
    `) as unknown as TypedDocumentString<RemoveSiteAttributeMutation, RemoveSiteAttributeMutationVariables>;
export const AuditDocument = new TypedDocumentString(`
    query Audit($organizationId: ID!, $filter: AuditEventFilterInput!, $limit: Int!, $page: Int!) {
  auditEvents(
    organizationId: $organizationId
    filter: $filter
    limit: $limit
    page: $page
  ) {
    totalCount
    items {
      ...AuditLine
    }
  }
}
    fragment AuditLine on AuditEvent {
  id
  at
  action
  outcome
  requestId
  address
  actor {
    kind
    actorId
    name
    userId
    userName
  }
  target {
    kind
    targetId
    name
  }
  changes {
    field
    before
    after
  }
}`) as unknown as TypedDocumentString<AuditQuery, AuditQueryVariables>;
export const CreateTokenDocument = new TypedDocumentString(`
    mutation CreateToken($organizationId: ID!, $name: String, $scope: TokenScope!, $expiresAt: DateTimeISO) {
  createApiToken(
    organizationId: $organizationId
    name: $name
    scope: $scope
    expiresAt: $expiresAt
  ) {
    token
  }
}
    `) as unknown as TypedDocumentString<CreateTokenMutation, CreateTokenMutationVariables>;
export const DashboardsToAddToDocument = new TypedDocumentString(`
    query DashboardsToAddTo($organizationId: ID!, $applicationIds: [ID!]) {
  applications(
    organizationId: $organizationId
    ids: $applicationIds
    limit: 1000
    sort: "name"
  ) {
    items {
      id
      name
      permission
      hasDashboard
    }
  }
}
    `) as unknown as TypedDocumentString<DashboardsToAddToQuery, DashboardsToAddToQueryVariables>;
export const DashboardToAddToDocument = new TypedDocumentString(`
    query DashboardToAddTo($organizationId: ID!, $applicationId: ID!) {
  application(organizationId: $organizationId, applicationId: $applicationId) {
    id
    dashboard {
      version
      document
    }
  }
}
    `) as unknown as TypedDocumentString<DashboardToAddToQuery, DashboardToAddToQueryVariables>;
export const UpdateDashboardDocument = new TypedDocumentString(`
    mutation UpdateDashboard($organizationId: ID!, $applicationId: ID!, $version: Int!, $document: JSON!) {
  updateDashboard(
    organizationId: $organizationId
    applicationId: $applicationId
    version: $version
    document: $document
  ) {
    version
  }
}
    `) as unknown as TypedDocumentString<UpdateDashboardMutation, UpdateDashboardMutationVariables>;
export const SuggestDashboardDocument = new TypedDocumentString(`
    query SuggestDashboard($organizationId: ID!, $applicationId: ID!) {
  suggestDashboard(organizationId: $organizationId, applicationId: $applicationId)
}
    `) as unknown as TypedDocumentString<SuggestDashboardQuery, SuggestDashboardQueryVariables>;
export const DashboardDocument = new TypedDocumentString(`
    query Dashboard($organizationId: ID!, $applicationId: ID!) {
  application(organizationId: $organizationId, applicationId: $applicationId) {
    ...DashboardApplication
  }
  sites(organizationId: $organizationId, limit: 500) {
    items {
      id
      name
      path
    }
  }
}
    fragment DashboardApplication on Application {
  ...DashboardSubjects
  permission
  hasDashboard
  dashboard {
    version
    document
    updatedAt
    updatedBy {
      id
      name
      username
    }
  }
}
fragment DashboardSubjects on Application {
  id
  name
  products(limit: 100, sort: "name") {
    items {
      id
      name
      version
      ...ShownVariables
    }
  }
  devices(limit: 500, sort: "name") {
    totalCount
    items {
      id
      name
      serial
      tags
    }
  }
}
fragment ShownVariables on Product {
  variables: recordedVariables {
    name
    type
    unit
    decimals
    words
  }
}`) as unknown as TypedDocumentString<DashboardQuery, DashboardQueryVariables>;
export const DashboardsDocument = new TypedDocumentString(`
    query Dashboards($organizationId: ID!, $limit: Int!, $page: Int!, $q: String) {
  applications(
    organizationId: $organizationId
    limit: $limit
    page: $page
    sort: "name"
    q: $q
  ) {
    totalCount
    items {
      id
      name
      description
      permission
      hasDashboard
      dashboard {
        version
        updatedAt
        updatedBy {
          id
          name
          username
        }
      }
      devices(limit: 1) {
        totalCount
      }
    }
  }
}
    `) as unknown as TypedDocumentString<DashboardsQuery, DashboardsQueryVariables>;
export const DashboardRecordsDocument = new TypedDocumentString(`
    subscription DashboardRecords($organizationId: ID!, $applicationId: ID!) {
  recordReceived(
    organizationId: $organizationId
    applicationId: $applicationId
    limit: 1
  ) {
    missed
    records {
      id
    }
  }
}
    `) as unknown as TypedDocumentString<DashboardRecordsSubscription, DashboardRecordsSubscriptionVariables>;
export const DashboardLinksDocument = new TypedDocumentString(`
    query DashboardLinks($organizationId: ID!, $applicationId: ID!) {
  application(organizationId: $organizationId, applicationId: $applicationId) {
    id
    dashboardLinks {
      id
      name
      lastUsedAt
      expiresAt
    }
  }
}
    `) as unknown as TypedDocumentString<DashboardLinksQuery, DashboardLinksQueryVariables>;
export const CreateDashboardLinkDocument = new TypedDocumentString(`
    mutation CreateDashboardLink($organizationId: ID!, $applicationId: ID!, $name: String!, $expiresAt: DateTimeISO) {
  createDashboardLink(
    organizationId: $organizationId
    applicationId: $applicationId
    name: $name
    expiresAt: $expiresAt
  ) {
    url
  }
}
    `) as unknown as TypedDocumentString<CreateDashboardLinkMutation, CreateDashboardLinkMutationVariables>;
export const DeleteDashboardLinkDocument = new TypedDocumentString(`
    mutation DeleteDashboardLink($organizationId: ID!, $applicationId: ID!, $linkId: ID!) {
  deleteDashboardLink(
    organizationId: $organizationId
    applicationId: $applicationId
    linkId: $linkId
  ) {
    id
  }
}
    `) as unknown as TypedDocumentString<DeleteDashboardLinkMutation, DeleteDashboardLinkMutationVariables>;
export const DashboardOwnerDocument = new TypedDocumentString(`
    query DashboardOwner($organizationId: ID!, $applicationId: ID!) {
  application(organizationId: $organizationId, applicationId: $applicationId) {
    id
    name
    description
  }
}
    `) as unknown as TypedDocumentString<DashboardOwnerQuery, DashboardOwnerQueryVariables>;
export const WallDocument = new TypedDocumentString(`
    query Wall {
  viewer {
    application {
      organizationId
      ...DashboardSubjects
      dashboard {
        version
        document
      }
    }
  }
}
    fragment DashboardSubjects on Application {
  id
  name
  products(limit: 100, sort: "name") {
    items {
      id
      name
      version
      ...ShownVariables
    }
  }
  devices(limit: 500, sort: "name") {
    totalCount
    items {
      id
      name
      serial
      tags
    }
  }
}
fragment ShownVariables on Product {
  variables: recordedVariables {
    name
    type
    unit
    decimals
    words
  }
}`) as unknown as TypedDocumentString<WallQuery, WallQueryVariables>;
export const DeviceSuggestionsDocument = new TypedDocumentString(`
    query DeviceSuggestions($organizationId: ID!, $q: String!, $tag: String!, $limit: Int!) {
  named: devices(
    organizationId: $organizationId
    q: $q
    limit: $limit
    sort: "name"
  ) {
    items {
      ...SuggestedDevice
    }
  }
  tagged: devices(
    organizationId: $organizationId
    filter: {tag: $tag}
    limit: $limit
    sort: "name"
  ) {
    items {
      ...SuggestedDevice
    }
  }
}
    fragment SuggestedDevice on Device {
  id
  name
  serial
  tags
}`) as unknown as TypedDocumentString<DeviceSuggestionsQuery, DeviceSuggestionsQueryVariables>;
export const RegisterDeviceDocument = new TypedDocumentString(`
    mutation RegisterDevice($organizationId: ID!, $deviceSerial: Serial!, $name: String, $tags: [String!], $product: ProductReferenceInput, $location: LocationInput) {
  registerDevice(
    organizationId: $organizationId
    deviceSerial: $deviceSerial
    name: $name
    tags: $tags
    product: $product
    location: $location
  ) {
    id
  }
}
    `) as unknown as TypedDocumentString<RegisterDeviceMutation, RegisterDeviceMutationVariables>;
export const UpdateDeviceDocument = new TypedDocumentString(`
    mutation UpdateDevice($organizationId: ID!, $deviceId: ID!, $name: String, $tags: [String!], $product: ProductReferenceInput, $location: LocationInput) {
  updateDevice(
    organizationId: $organizationId
    deviceId: $deviceId
    name: $name
    tags: $tags
    product: $product
    location: $location
  ) {
    id
  }
}
    `) as unknown as TypedDocumentString<UpdateDeviceMutation, UpdateDeviceMutationVariables>;
export const DeleteDeviceDocument = new TypedDocumentString(`
    mutation DeleteDevice($organizationId: ID!, $deviceId: ID!) {
  deleteDevice(organizationId: $organizationId, deviceId: $deviceId) {
    id
  }
}
    `) as unknown as TypedDocumentString<DeleteDeviceMutation, DeleteDeviceMutationVariables>;
export const CreateDeviceTokenDocument = new TypedDocumentString(`
    mutation CreateDeviceToken($organizationId: ID!, $deviceId: ID!, $name: String, $expiresAt: DateTimeISO) {
  createDeviceToken(
    organizationId: $organizationId
    deviceId: $deviceId
    name: $name
    expiresAt: $expiresAt
  ) {
    token
  }
}
    `) as unknown as TypedDocumentString<CreateDeviceTokenMutation, CreateDeviceTokenMutationVariables>;
export const RevokeDeviceTokenDocument = new TypedDocumentString(`
    mutation RevokeDeviceToken($organizationId: ID!, $deviceId: ID!, $tokenId: ID!) {
  revokeDeviceToken(
    organizationId: $organizationId
    deviceId: $deviceId
    tokenId: $tokenId
  ) {
    id
  }
}
    `) as unknown as TypedDocumentString<RevokeDeviceTokenMutation, RevokeDeviceTokenMutationVariables>;
export const DeviceCommandsDocument = new TypedDocumentString(`
    query DeviceCommands($organizationId: ID!, $deviceId: ID!, $limit: Int!, $page: Int!) {
  device(organizationId: $organizationId, deviceId: $deviceId) {
    id
    product {
      id
      settings {
        commands {
          ...DeclaredCommand
        }
        state {
          name
          type
          unit
        }
      }
    }
    applications(limit: 100) {
      items {
        id
        permission
      }
    }
    state {
      name
      desired
      version
      desiredAt
      reported
      reportedAt
      settled
    }
    commands(limit: $limit, page: $page) {
      totalCount
      items {
        ...CommandLine
      }
    }
  }
}
    fragment DeclaredCommand on CommandDeclaration {
  name
  parameters {
    name
    type
    unit
  }
  streamId
  streamType
  confirmed
  secret
}
fragment CommandLine on Command {
  id
  name
  parameters
  payload
  streamId
  secret
  sender
  createdAt
  expiresAt
  state
  code
  detail
  stateAt
  evidence {
    at
    source
    kind
    code
    detail
  }
}`) as unknown as TypedDocumentString<DeviceCommandsQuery, DeviceCommandsQueryVariables>;
export const SendCommandDocument = new TypedDocumentString(`
    mutation SendCommand($organizationId: ID!, $deviceId: ID!, $name: String!, $parameters: JSONObject, $payload: String, $streamId: Int, $expiresAt: UnixTime) {
  sendCommand(
    organizationId: $organizationId
    deviceId: $deviceId
    name: $name
    parameters: $parameters
    payload: $payload
    streamId: $streamId
    expiresAt: $expiresAt
  ) {
    id
  }
}
    `) as unknown as TypedDocumentString<SendCommandMutation, SendCommandMutationVariables>;
export const CancelCommandsDocument = new TypedDocumentString(`
    mutation CancelCommands($organizationId: ID!, $deviceId: ID!, $ids: [ID!]) {
  cancelCommands(organizationId: $organizationId, deviceId: $deviceId, ids: $ids) {
    count
  }
}
    `) as unknown as TypedDocumentString<CancelCommandsMutation, CancelCommandsMutationVariables>;
export const SetDesiredStateDocument = new TypedDocumentString(`
    mutation SetDesiredState($organizationId: ID!, $deviceId: ID!, $desired: JSONObject!) {
  setDesiredState(
    organizationId: $organizationId
    deviceId: $deviceId
    desired: $desired
  ) {
    state {
      name
    }
  }
}
    `) as unknown as TypedDocumentString<SetDesiredStateMutation, SetDesiredStateMutationVariables>;
export const DeviceDocument = new TypedDocumentString(`
    query Device($organizationId: ID!, $deviceId: ID!, $variables: [String!], $from: UnixTime, $to: UnixTime, $owns: Boolean!) {
  device(organizationId: $organizationId, deviceId: $deviceId) {
    id
    serial
    name
    tags
    createdAt
    lastRecordAt
    clockAhead
    location {
      lat
      lon
    }
    product {
      id
      organizationId
      name
      version
      ...ShownVariables
    }
    applications(limit: 100, sort: "name") {
      items {
        id
        name
      }
    }
    openEpisodes(limit: 10, sort: "-severity,-openedAt") {
      totalCount
      items {
        ...EpisodeLine
      }
    }
    series(variables: $variables, from: $from, to: $to, points: 400) {
      name
      unit
      type
      interval
      ts
      values
    }
    latest {
      name
      value
      unit
      ts
      ahead
    }
    records(limit: 25) {
      items {
        id
        ts
        data
        metadata
        frame
      }
    }
  }
  account {
    id
    episodes(deviceId: $deviceId, to: $to, limit: 200, sort: "-openedAt") {
      items {
        id
        name
        severity
        openedAt
        closedAt
      }
    }
  }
  deviceTokens(
    organizationId: $organizationId
    deviceId: $deviceId
    limit: 100
    sort: "-createdAt"
  ) @include(if: $owns) {
    items {
      id
      name
      prefix
      createdAt
      lastUsedAt
      expiresAt
      revokedAt
    }
  }
  products(organizationId: $organizationId, limit: 200, sort: "name") {
    items {
      id
      organizationId
      name
      version
    }
  }
}
    fragment EpisodeLine on Episode {
  id
  name
  severity
  applicationId
  alertRuleId
  openedAt
  openedBy {
    recordId
    ts
    values
  }
  openedState {
    name
    desired
    desiredAt
  }
  closedAt
  closedBy {
    recordId
    ts
    values
  }
  closedReason
  acknowledgedAt
  acknowledgedBy
  device {
    id
    name
    serial
  }
}
fragment ShownVariables on Product {
  variables: recordedVariables {
    name
    type
    unit
    decimals
    words
  }
}`) as unknown as TypedDocumentString<DeviceQuery, DeviceQueryVariables>;
export const TagDevicesDocument = new TypedDocumentString(`
    mutation TagDevices($organizationId: ID!, $deviceIds: [ID!], $q: String, $filter: DeviceFilterInput, $dryRun: Boolean, $tags: [String!]!) {
  tagDevices(
    organizationId: $organizationId
    deviceIds: $deviceIds
    q: $q
    filter: $filter
    dryRun: $dryRun
    tags: $tags
  ) {
    ...ChangedDevices
  }
}
    fragment ChangedDevices on DeviceBatch {
  matched
  changed
  blocked
  job {
    id
  }
}`) as unknown as TypedDocumentString<TagDevicesMutation, TagDevicesMutationVariables>;
export const UntagDevicesDocument = new TypedDocumentString(`
    mutation UntagDevices($organizationId: ID!, $deviceIds: [ID!], $q: String, $filter: DeviceFilterInput, $dryRun: Boolean, $tags: [String!]!) {
  untagDevices(
    organizationId: $organizationId
    deviceIds: $deviceIds
    q: $q
    filter: $filter
    dryRun: $dryRun
    tags: $tags
  ) {
    ...ChangedDevices
  }
}
    fragment ChangedDevices on DeviceBatch {
  matched
  changed
  blocked
  job {
    id
  }
}`) as unknown as TypedDocumentString<UntagDevicesMutation, UntagDevicesMutationVariables>;
export const LinkDevicesDocument = new TypedDocumentString(`
    mutation LinkDevices($organizationId: ID!, $deviceIds: [ID!], $q: String, $filter: DeviceFilterInput, $dryRun: Boolean, $applicationId: ID!) {
  linkDevices(
    organizationId: $organizationId
    deviceIds: $deviceIds
    q: $q
    filter: $filter
    dryRun: $dryRun
    applicationId: $applicationId
  ) {
    ...ChangedDevices
  }
}
    fragment ChangedDevices on DeviceBatch {
  matched
  changed
  blocked
  job {
    id
  }
}`) as unknown as TypedDocumentString<LinkDevicesMutation, LinkDevicesMutationVariables>;
export const UnlinkDevicesDocument = new TypedDocumentString(`
    mutation UnlinkDevices($organizationId: ID!, $deviceIds: [ID!], $q: String, $filter: DeviceFilterInput, $dryRun: Boolean, $applicationId: ID!) {
  unlinkDevices(
    organizationId: $organizationId
    deviceIds: $deviceIds
    q: $q
    filter: $filter
    dryRun: $dryRun
    applicationId: $applicationId
  ) {
    ...ChangedDevices
  }
}
    fragment ChangedDevices on DeviceBatch {
  matched
  changed
  blocked
  job {
    id
  }
}`) as unknown as TypedDocumentString<UnlinkDevicesMutation, UnlinkDevicesMutationVariables>;
export const DeleteDevicesDocument = new TypedDocumentString(`
    mutation DeleteDevices($organizationId: ID!, $deviceIds: [ID!], $q: String, $filter: DeviceFilterInput, $dryRun: Boolean) {
  deleteDevices(
    organizationId: $organizationId
    deviceIds: $deviceIds
    q: $q
    filter: $filter
    dryRun: $dryRun
  ) {
    ...ChangedDevices
  }
}
    fragment ChangedDevices on DeviceBatch {
  matched
  changed
  blocked
  job {
    id
  }
}`) as unknown as TypedDocumentString<DeleteDevicesMutation, DeleteDevicesMutationVariables>;
export const DevicesDocument = new TypedDocumentString(`
    query Devices($organizationId: ID!, $limit: Int!, $page: Int!, $sort: String, $q: String, $filter: DeviceFilterInput) {
  devices(
    organizationId: $organizationId
    limit: $limit
    page: $page
    sort: $sort
    q: $q
    filter: $filter
  ) {
    totalCount
    items {
      id
      serial
      name
      tags
      applicationCount
      lastRecordAt
      product {
        id
        name
        ...ShownVariables
      }
      latest {
        name
        value
        unit
        ts
        ahead
      }
    }
  }
  products(organizationId: $organizationId, limit: 200, sort: "name") {
    items {
      id
      organizationId
      name
      version
    }
  }
  applications(organizationId: $organizationId, limit: 200, sort: "name") {
    items {
      id
      name
      permission
    }
  }
}
    fragment ShownVariables on Product {
  variables: recordedVariables {
    name
    type
    unit
    decimals
    words
  }
}`) as unknown as TypedDocumentString<DevicesQuery, DevicesQueryVariables>;
export const FleetCommandsDocument = new TypedDocumentString(`
    query FleetCommands($organizationId: ID!, $q: String, $filter: DeviceFilterInput) {
  products(organizationId: $organizationId, limit: 200, sort: "name") {
    items {
      ...CommandedProduct
    }
  }
  devices(organizationId: $organizationId, q: $q, filter: $filter, limit: 50) {
    items {
      id
      product {
        ...CommandedProduct
      }
    }
  }
}
    fragment DeclaredCommand on CommandDeclaration {
  name
  parameters {
    name
    type
    unit
  }
  streamId
  streamType
  confirmed
  secret
}
fragment CommandedProduct on Product {
  id
  name
  version
  settings {
    commands {
      ...DeclaredCommand
    }
  }
}`) as unknown as TypedDocumentString<FleetCommandsQuery, FleetCommandsQueryVariables>;
export const SendCommandsDocument = new TypedDocumentString(`
    mutation SendCommands($organizationId: ID!, $deviceIds: [ID!], $q: String, $filter: DeviceFilterInput, $dryRun: Boolean, $name: String!, $parameters: JSONObject, $payload: String, $streamId: Int, $expiresAt: UnixTime, $key: String) {
  sendCommands(
    organizationId: $organizationId
    deviceIds: $deviceIds
    q: $q
    filter: $filter
    dryRun: $dryRun
    name: $name
    parameters: $parameters
    payload: $payload
    streamId: $streamId
    expiresAt: $expiresAt
    key: $key
  ) {
    ...ChangedDevices
  }
}
    fragment ChangedDevices on DeviceBatch {
  matched
  changed
  blocked
  job {
    id
  }
}`) as unknown as TypedDocumentString<SendCommandsMutation, SendCommandsMutationVariables>;
export const FileImportDocument = new TypedDocumentString(`
    query FileImport($organizationId: ID!, $importId: ID!) {
  fileImport(organizationId: $organizationId, importId: $importId) {
    id
    kind
    state
    lines
    created
    updated
    unchanged
    rejected
    faultCount
    faults {
      line
      column
      field
      message
    }
    ignoredCount
    ignored {
      field
      count
      line
      message
    }
    job {
      id
      kind
      done
      total
      error
    }
  }
}
    `) as unknown as TypedDocumentString<FileImportQuery, FileImportQueryVariables>;
export const ApplyFileImportDocument = new TypedDocumentString(`
    mutation ApplyFileImport($organizationId: ID!, $importId: ID!) {
  applyFileImport(organizationId: $organizationId, importId: $importId) {
    id
  }
}
    `) as unknown as TypedDocumentString<ApplyFileImportMutation, ApplyFileImportMutationVariables>;
export const DeleteFileImportDocument = new TypedDocumentString(`
    mutation DeleteFileImport($organizationId: ID!, $importId: ID!) {
  deleteFileImport(organizationId: $organizationId, importId: $importId) {
    id
  }
}
    `) as unknown as TypedDocumentString<DeleteFileImportMutation, DeleteFileImportMutationVariables>;
export const ExploreDocument = new TypedDocumentString(`
    query Explore($organizationId: ID!, $applicationIds: [ID!], $variables: [String!]!, $deviceIds: [ID!], $function: SeriesFunction, $from: UnixTime, $to: UnixTime, $charts: Boolean!, $chartsDevices: Boolean!, $combine: DeviceCombination, $perDevice: DeviceReduction, $filter: DeviceFilterInput, $first: String!, $second: String!, $third: String!, $hasFirst: Boolean!, $hasSecond: Boolean!, $hasThird: Boolean!, $searches: Boolean!, $ts: LocatedJSON!, $queries: LocatedJSON!) {
  applications(organizationId: $organizationId, limit: 200, sort: "name") {
    items {
      id
      name
    }
  }
  chosen: applications(
    organizationId: $organizationId
    ids: $applicationIds
    limit: 1
    sort: "name"
  ) {
    items {
      id
      products(limit: 50, sort: "name") {
        items {
          id
          name
          ...ShownVariables
        }
      }
      devices(limit: 200, sort: "name") {
        totalCount
        items {
          id
          name
          serial
        }
      }
      series(
        variables: $variables
        function: $function
        from: $from
        to: $to
        points: 300
      ) @include(if: $charts) {
        ...ExploredLine
      }
      first: groupSeries(
        variable: $first
        filter: $filter
        from: $from
        to: $to
        points: 200
        perDevice: $perDevice
        combine: $combine
      ) @include(if: $hasFirst) {
        ...GroupLine
      }
      second: groupSeries(
        variable: $second
        filter: $filter
        from: $from
        to: $to
        points: 200
        perDevice: $perDevice
        combine: $combine
      ) @include(if: $hasSecond) {
        ...GroupLine
      }
      third: groupSeries(
        variable: $third
        filter: $filter
        from: $from
        to: $to
        points: 200
        perDevice: $perDevice
        combine: $combine
      ) @include(if: $hasThird) {
        ...GroupLine
      }
      search(ts: $ts, queries: $queries) @include(if: $searches) {
        took
        responses
      }
    }
  }
  series(
    organizationId: $organizationId
    deviceIds: $deviceIds
    variables: $variables
    function: $function
    from: $from
    to: $to
    points: 300
  ) @include(if: $chartsDevices) {
    ...ExploredLine
  }
}
    fragment ExploredLine on Series {
  name
  unit
  type
  deviceId
  interval
  ts
  values
}
fragment GroupLine on GroupSeries {
  key
  name
  others
  unit
  interval
  ts
  values
  lowest
  highest
  devices
  expected
  bridged
}
fragment ShownVariables on Product {
  variables: recordedVariables {
    name
    type
    unit
    decimals
    words
  }
}`) as unknown as TypedDocumentString<ExploreQuery, ExploreQueryVariables>;
export const CreateHookDocument = new TypedDocumentString(`
    mutation CreateHook($organizationId: ID!, $applicationId: ID!, $url: URL!, $allowUnverifiedSSLCert: Boolean, $authentication: HookAuthenticationInput) {
  createApplicationHook(
    organizationId: $organizationId
    applicationId: $applicationId
    url: $url
    allowUnverifiedSSLCert: $allowUnverifiedSSLCert
    authentication: $authentication
  ) {
    id
  }
}
    `) as unknown as TypedDocumentString<CreateHookMutation, CreateHookMutationVariables>;
export const UpdateHookDocument = new TypedDocumentString(`
    mutation UpdateHook($organizationId: ID!, $applicationId: ID!, $applicationHookId: ID!, $url: URL!, $disabled: Boolean, $allowUnverifiedSSLCert: Boolean, $authentication: HookAuthenticationInput) {
  updateApplicationHook(
    organizationId: $organizationId
    applicationId: $applicationId
    applicationHookId: $applicationHookId
    url: $url
    disabled: $disabled
    allowUnverifiedSSLCert: $allowUnverifiedSSLCert
    authentication: $authentication
  ) {
    id
  }
}
    `) as unknown as TypedDocumentString<UpdateHookMutation, UpdateHookMutationVariables>;
export const UpdateHookSettingsDocument = new TypedDocumentString(`
    mutation UpdateHookSettings($organizationId: ID!, $applicationId: ID!, $applicationHookId: ID!, $concurrency: Int, $maxPerSecond: Float, $ordered: Boolean, $events: [String!], $filter: HookFilterInput) {
  updateApplicationHookSettings(
    organizationId: $organizationId
    applicationId: $applicationId
    applicationHookId: $applicationHookId
    concurrency: $concurrency
    maxPerSecond: $maxPerSecond
    ordered: $ordered
    events: $events
    filter: $filter
  ) {
    concurrency
  }
}
    `) as unknown as TypedDocumentString<UpdateHookSettingsMutation, UpdateHookSettingsMutationVariables>;
export const DeleteHookDocument = new TypedDocumentString(`
    mutation DeleteHook($organizationId: ID!, $applicationId: ID!, $applicationHookId: ID!) {
  deleteApplicationHook(
    organizationId: $organizationId
    applicationId: $applicationId
    applicationHookId: $applicationHookId
  ) {
    id
  }
}
    `) as unknown as TypedDocumentString<DeleteHookMutation, DeleteHookMutationVariables>;
export const PingHookDocument = new TypedDocumentString(`
    mutation PingHook($organizationId: ID!, $applicationId: ID!, $applicationHookId: ID!) {
  pingApplicationHook(
    organizationId: $organizationId
    applicationId: $applicationId
    applicationHookId: $applicationHookId
  ) {
    id
  }
}
    `) as unknown as TypedDocumentString<PingHookMutation, PingHookMutationVariables>;
export const RotateSecretDocument = new TypedDocumentString(`
    mutation RotateSecret($organizationId: ID!, $applicationId: ID!, $applicationHookId: ID!) {
  rotateApplicationHookSigningSecret(
    organizationId: $organizationId
    applicationId: $applicationId
    applicationHookId: $applicationHookId
  ) {
    signingSecret
    previousSecretUntil
  }
}
    `) as unknown as TypedDocumentString<RotateSecretMutation, RotateSecretMutationVariables>;
export const RedeliverRangeDocument = new TypedDocumentString(`
    mutation RedeliverRange($organizationId: ID!, $applicationId: ID!, $applicationHookId: ID!, $from: UnixTime, $to: UnixTime, $state: Ended) {
  redeliverApplicationHook(
    organizationId: $organizationId
    applicationId: $applicationId
    applicationHookId: $applicationHookId
    from: $from
    to: $to
    state: $state
  ) {
    id
  }
}
    `) as unknown as TypedDocumentString<RedeliverRangeMutation, RedeliverRangeMutationVariables>;
export const ReplayRangeDocument = new TypedDocumentString(`
    mutation ReplayRange($organizationId: ID!, $applicationId: ID!, $applicationHookId: ID!, $from: UnixTime, $to: UnixTime) {
  replayApplicationHook(
    organizationId: $organizationId
    applicationId: $applicationId
    applicationHookId: $applicationHookId
    from: $from
    to: $to
  ) {
    id
  }
}
    `) as unknown as TypedDocumentString<ReplayRangeMutation, ReplayRangeMutationVariables>;
export const RedeliverOneDocument = new TypedDocumentString(`
    mutation RedeliverOne($organizationId: ID!, $applicationId: ID!, $applicationHookId: ID!, $deliveryId: ID!) {
  redeliverApplicationHookDelivery(
    organizationId: $organizationId
    applicationId: $applicationId
    applicationHookId: $applicationHookId
    deliveryId: $deliveryId
  ) {
    id
  }
}
    `) as unknown as TypedDocumentString<RedeliverOneMutation, RedeliverOneMutationVariables>;
export const CountDeliveriesDocument = new TypedDocumentString(`
    query CountDeliveries($organizationId: ID!, $applicationId: ID!, $applicationHookId: ID!, $from: UnixTime, $to: UnixTime) {
  failed: applicationHookLedger(
    organizationId: $organizationId
    applicationId: $applicationId
    applicationHookId: $applicationHookId
    limit: 1
    successful: false
    from: $from
    to: $to
  ) {
    totalCount
  }
  succeeded: applicationHookLedger(
    organizationId: $organizationId
    applicationId: $applicationId
    applicationHookId: $applicationHookId
    limit: 1
    successful: true
    from: $from
    to: $to
  ) {
    totalCount
  }
  application(organizationId: $organizationId, applicationId: $applicationId) {
    records(limit: 1, from: $from, to: $to) {
      totalCount
    }
  }
}
    `) as unknown as TypedDocumentString<CountDeliveriesQuery, CountDeliveriesQueryVariables>;
export const DeliveryDocument = new TypedDocumentString(`
    query Delivery($organizationId: ID!, $applicationId: ID!, $applicationHookId: ID!, $deliveryId: ID!, $stored: UnixTime!) {
  newer: applicationHookLedger(
    organizationId: $organizationId
    applicationId: $applicationId
    applicationHookId: $applicationHookId
    from: $stored
    sort: "createdAt"
    limit: 20
  ) {
    items {
      id
    }
  }
  older: applicationHookLedger(
    organizationId: $organizationId
    applicationId: $applicationId
    applicationHookId: $applicationHookId
    to: $stored
    limit: 20
  ) {
    items {
      id
    }
  }
  applicationHookDelivery(
    organizationId: $organizationId
    applicationId: $applicationId
    applicationHookId: $applicationHookId
    deliveryId: $deliveryId
  ) {
    id
    successful
    createdAt
    updatedAt
    attemptsMade
    maxNumberAttempts
    nextAttemptAt
    truncated
    device {
      id
      name
      serial
    }
    application {
      id
      name
    }
    hook {
      id
      url
      settings {
        circuit
        circuitUntil
      }
    }
    request {
      method
      uri
      headers
      payload
    }
    response {
      statusCode
      headers
      body
    }
    error {
      code
      message
    }
    attempts {
      at
      statusCode
      error {
        code
        message
      }
      duration {
        connect
        wait
        read
        total
      }
    }
  }
}
    `) as unknown as TypedDocumentString<DeliveryQuery, DeliveryQueryVariables>;
export const HookDocument = new TypedDocumentString(`
    query Hook($organizationId: ID!, $applicationId: ID!, $applicationHookId: ID!, $limit: Int!, $page: Int!, $successful: Boolean, $from: UnixTime, $to: UnixTime) {
  applicationHook(
    organizationId: $organizationId
    applicationId: $applicationId
    applicationHookId: $applicationHookId
  ) {
    activity(from: $from, to: $to) {
      ts
      succeeded
      failed
      pending
    }
    id
    url
    disabled
    disabledAt
    disabledReason
    allowUnverifiedSSLCert
    createdAt
    authentication {
      basic {
        user
      }
      header {
        name
      }
    }
    application {
      id
      name
    }
    settings {
      basicReplacedByHeader
      circuit
      circuitUntil
      concurrency
      events
      failuresInRow
      filter {
        products
        tags
        query
      }
      filterDisabledAt
      filterDisabledReason
      maxPerSecond
      ordered
      previousSecretUntil
      signed
    }
    stats {
      successRate
      p50
      p95
      pending
      running
      lastFailureAt
    }
  }
  applicationHookLedger(
    organizationId: $organizationId
    applicationId: $applicationId
    applicationHookId: $applicationHookId
    limit: $limit
    page: $page
    successful: $successful
    from: $from
    to: $to
  ) {
    totalCount
    items {
      id
      createdAt
      successful
      attemptsMade
      maxNumberAttempts
      device {
        id
        name
        serial
      }
      response {
        statusCode
      }
      error {
        code
        message
      }
    }
  }
}
    `) as unknown as TypedDocumentString<HookQuery, HookQueryVariables>;
export const HooksDocument = new TypedDocumentString(`
    query Hooks($organizationId: ID!, $applicationIds: [ID!], $page: Int!, $hookPage: Int!, $disabled: Boolean, $failing: Boolean) {
  names: applications(organizationId: $organizationId, limit: 200, sort: "name") {
    items {
      id
      name
      permission
    }
  }
  applications(
    organizationId: $organizationId
    ids: $applicationIds
    limit: 40
    page: $page
    sort: "name"
  ) {
    totalCount
    items {
      id
      name
      hooks(limit: 25, page: $hookPage, disabled: $disabled, failing: $failing) {
        totalCount
        items {
          id
          url
          disabled
          disabledReason
          settings {
            circuit
            failuresInRow
          }
          stats {
            successRate
            p50
            p95
            pending
            running
            lastFailureAt
          }
        }
      }
    }
  }
}
    `) as unknown as TypedDocumentString<HooksQuery, HooksQueryVariables>;
export const JobUpdatedDocument = new TypedDocumentString(`
    subscription JobUpdated($organizationId: ID!, $jobId: ID, $after: String) {
  jobUpdated(organizationId: $organizationId, jobId: $jobId, after: $after) {
    cursor
    jobs {
      ...JobLine
    }
  }
}
    fragment JobLine on Job {
  id
  kind
  state
  done
  total
  changed
  error
  createdAt
  updatedAt
}`) as unknown as TypedDocumentString<JobUpdatedSubscription, JobUpdatedSubscriptionVariables>;
export const JobDocument = new TypedDocumentString(`
    query Job($organizationId: ID!, $jobId: ID!) {
  job(organizationId: $organizationId, jobId: $jobId) {
    ...JobLine
  }
}
    fragment JobLine on Job {
  id
  kind
  state
  done
  total
  changed
  error
  createdAt
  updatedAt
}`) as unknown as TypedDocumentString<JobQuery, JobQueryVariables>;
export const JobsDocument = new TypedDocumentString(`
    query Jobs($limit: Int!, $page: Int!, $sort: String, $q: String) {
  account {
    jobs(limit: $limit, page: $page, sort: $sort, q: $q) {
      totalCount
      items {
        ...JobLine
      }
    }
  }
}
    fragment JobLine on Job {
  id
  kind
  state
  done
  total
  changed
  error
  createdAt
  updatedAt
}`) as unknown as TypedDocumentString<JobsQuery, JobsQueryVariables>;
export const LiveRecordsDocument = new TypedDocumentString(`
    subscription LiveRecords($organizationId: ID!, $applicationId: ID!, $query: JSONObject, $after: String) {
  recordReceived(
    organizationId: $organizationId
    applicationId: $applicationId
    query: $query
    after: $after
    limit: 100
  ) {
    missed
    cursor
    records {
      id
      ts
      data
      device {
        id
        name
        serial
        product {
          id
        }
      }
    }
  }
}
    `) as unknown as TypedDocumentString<LiveRecordsSubscription, LiveRecordsSubscriptionVariables>;
export const LiveDocument = new TypedDocumentString(`
    query Live($organizationId: ID!, $applicationIds: [ID!], $ts: LocatedJSON!, $queries: LocatedJSON!) {
  applications(organizationId: $organizationId, limit: 200, sort: "name") {
    items {
      id
      name
    }
  }
  chosen: applications(
    organizationId: $organizationId
    ids: $applicationIds
    limit: 1
    sort: "name"
  ) {
    items {
      id
      products(limit: 50) {
        items {
          id
          ...ShownVariables
        }
      }
      search(ts: $ts, queries: $queries) {
        responses
      }
    }
  }
}
    fragment ShownVariables on Product {
  variables: recordedVariables {
    name
    type
    unit
    decimals
    words
  }
}`) as unknown as TypedDocumentString<LiveQuery, LiveQueryVariables>;
export const NetworkServersDocument = new TypedDocumentString(`
    query NetworkServers($organizationId: ID!, $limit: Int!, $page: Int!, $sort: String) {
  networkServers(
    organizationId: $organizationId
    limit: $limit
    page: $page
    sort: $sort
  ) {
    totalCount
    items {
      ...NetworkServerLine
    }
  }
}
    fragment NetworkServerLine on NetworkServer {
  id
  kind
  name
  address
  application
  proposed
}`) as unknown as TypedDocumentString<NetworkServersQuery, NetworkServersQueryVariables>;
export const CreateNetworkServerDocument = new TypedDocumentString(`
    mutation CreateNetworkServer($organizationId: ID!, $kind: NetworkServerKind!, $name: String!, $address: URL!, $application: String!, $apiKey: String!) {
  createNetworkServer(
    organizationId: $organizationId
    kind: $kind
    name: $name
    address: $address
    application: $application
    apiKey: $apiKey
  ) {
    id
  }
}
    `) as unknown as TypedDocumentString<CreateNetworkServerMutation, CreateNetworkServerMutationVariables>;
export const UpdateNetworkServerDocument = new TypedDocumentString(`
    mutation UpdateNetworkServer($organizationId: ID!, $networkServerId: ID!, $name: String!, $address: URL!, $application: String!, $apiKey: String) {
  updateNetworkServer(
    organizationId: $organizationId
    networkServerId: $networkServerId
    name: $name
    address: $address
    application: $application
    apiKey: $apiKey
  ) {
    id
  }
}
    `) as unknown as TypedDocumentString<UpdateNetworkServerMutation, UpdateNetworkServerMutationVariables>;
export const DeleteNetworkServerDocument = new TypedDocumentString(`
    mutation DeleteNetworkServer($organizationId: ID!, $networkServerId: ID!) {
  deleteNetworkServer(
    organizationId: $organizationId
    networkServerId: $networkServerId
  ) {
    id
  }
}
    `) as unknown as TypedDocumentString<DeleteNetworkServerMutation, DeleteNetworkServerMutationVariables>;
export const ConfirmNetworkServerDocument = new TypedDocumentString(`
    mutation ConfirmNetworkServer($organizationId: ID!, $networkServerId: ID!) {
  confirmNetworkServer(
    organizationId: $organizationId
    networkServerId: $networkServerId
  ) {
    id
  }
}
    `) as unknown as TypedDocumentString<ConfirmNetworkServerMutation, ConfirmNetworkServerMutationVariables>;
export const TestNetworkServerDocument = new TypedDocumentString(`
    mutation TestNetworkServer($organizationId: ID!, $networkServerId: ID!) {
  testNetworkServer(
    organizationId: $organizationId
    networkServerId: $networkServerId
  ) {
    ok
    message
  }
}
    `) as unknown as TypedDocumentString<TestNetworkServerMutation, TestNetworkServerMutationVariables>;
export const FirstChartDocument = new TypedDocumentString(`
    query FirstChart($organizationId: ID!, $deviceIds: [ID!], $variables: [String!]!, $from: UnixTime) {
  series(
    organizationId: $organizationId
    deviceIds: $deviceIds
    variables: $variables
    from: $from
    interval: 1
  ) {
    name
    unit
    type
    ts
    values
  }
}
    `) as unknown as TypedDocumentString<FirstChartQuery, FirstChartQueryVariables>;
export const FirstStepsDocument = new TypedDocumentString(`
    query FirstSteps($organizationId: ID!) {
  devices(organizationId: $organizationId, limit: 1, sort: "-createdAt") {
    items {
      id
      name
      serial
      latest {
        name
        ts
        value
      }
    }
  }
  products(organizationId: $organizationId, limit: 1, sort: "-createdAt") {
    items {
      id
      name
      variables {
        name
        type
      }
    }
  }
}
    `) as unknown as TypedDocumentString<FirstStepsQuery, FirstStepsQueryVariables>;
export const OverviewDocument = new TypedDocumentString(`
    query Overview($organizationId: ID!, $silentSince: UnixTime!, $from: UnixTime, $to: UnixTime, $owns: Boolean!) {
  charted: applications(organizationId: $organizationId, limit: 6, sort: "name") {
    totalCount
    items {
      id
      name
      activity(from: $from, to: $to) {
        ts
        stored
      }
    }
  }
  hooked: applications(organizationId: $organizationId, limit: 40, sort: "name") {
    totalCount
    items {
      id
      name
      all: hooks(limit: 1) {
        totalCount
      }
      disabled: hooks(limit: 3, disabled: true) {
        totalCount
        items {
          ...OverviewHook
        }
      }
      failing: hooks(limit: 3, disabled: false, failing: true) {
        totalCount
        items {
          ...OverviewHook
        }
      }
    }
  }
  silent: devices(
    organizationId: $organizationId
    limit: 8
    sort: "name"
    filter: {silentSince: $silentSince}
  ) {
    totalCount
    items {
      id
      name
      serial
      lastRecordAt
    }
  }
  devices(organizationId: $organizationId, limit: 30, sort: "-createdAt") {
    totalCount
    items {
      id
      name
      serial
      latest {
        name
        ts
        ahead
        value
      }
    }
  }
  products(organizationId: $organizationId, limit: 1, sort: "-createdAt") {
    totalCount
    items {
      id
      name
      variables {
        name
        type
      }
    }
  }
  account {
    activity(from: $from, to: $to) @include(if: $owns) {
      ts
      stored
      rejected
      rejections {
        code
        count
      }
      decodePartial
      decodeFailed
    }
    opened: episodes(limit: 200, from: $from, to: $to, sort: "-openedAt") {
      totalCount
      items {
        openedAt
      }
    }
    open: episodes(state: open, limit: 8, sort: "-severity,-openedAt") {
      totalCount
      items {
        ...EpisodeLine
      }
    }
    critical: episodes(state: open, severity: critical, limit: 1) {
      totalCount
    }
    jobs(limit: 10) {
      items {
        ...JobLine
      }
    }
  }
}
    fragment EpisodeLine on Episode {
  id
  name
  severity
  applicationId
  alertRuleId
  openedAt
  openedBy {
    recordId
    ts
    values
  }
  openedState {
    name
    desired
    desiredAt
  }
  closedAt
  closedBy {
    recordId
    ts
    values
  }
  closedReason
  acknowledgedAt
  acknowledgedBy
  device {
    id
    name
    serial
  }
}
fragment JobLine on Job {
  id
  kind
  state
  done
  total
  changed
  error
  createdAt
  updatedAt
}
fragment OverviewHook on Hook {
  id
  url
  disabled
  disabledReason
  settings {
    circuit
    failuresInRow
  }
  stats {
    successRate
    pending
  }
  activity(from: $from, to: $to) {
    ts
    failed
  }
}`) as unknown as TypedDocumentString<OverviewQuery, OverviewQueryVariables>;
export const UnheardDocument = new TypedDocumentString(`
    query Unheard($organizationId: ID!) {
  devices(organizationId: $organizationId, limit: 1) {
    totalCount
  }
  unheard: devices(
    organizationId: $organizationId
    limit: 1
    filter: {silentSince: 0}
  ) {
    totalCount
  }
}
    `) as unknown as TypedDocumentString<UnheardQuery, UnheardQueryVariables>;
export const PaletteDocument = new TypedDocumentString(`
    query Palette($organizationId: ID!, $q: String!) {
  devices(organizationId: $organizationId, q: $q, limit: 8, sort: "name") {
    items {
      id
      name
      serial
    }
  }
  applications(organizationId: $organizationId, q: $q, limit: 5, sort: "name") {
    items {
      id
      name
    }
  }
  products(organizationId: $organizationId, q: $q, limit: 5, sort: "name") {
    items {
      id
      name
      version
    }
  }
  hooked: applications(organizationId: $organizationId, limit: 40, sort: "name") {
    items {
      id
      name
      hooks(limit: 25) {
        items {
          id
          url
        }
      }
    }
  }
  organizationMembers(organizationId: $organizationId, q: $q, limit: 5) {
    items {
      id
      username
      name
    }
  }
}
    `) as unknown as TypedDocumentString<PaletteQuery, PaletteQueryVariables>;
export const SetMemberDocument = new TypedDocumentString(`
    mutation SetMember($organizationId: ID!, $memberId: ID!, $role: Role) {
  setOrganizationMember(
    organizationId: $organizationId
    memberId: $memberId
    role: $role
  ) {
    id
  }
}
    `) as unknown as TypedDocumentString<SetMemberMutation, SetMemberMutationVariables>;
export const RemoveMemberDocument = new TypedDocumentString(`
    mutation RemoveMember($organizationId: ID!, $memberId: ID!) {
  removeOrganizationMember(organizationId: $organizationId, memberId: $memberId) {
    id
  }
}
    `) as unknown as TypedDocumentString<RemoveMemberMutation, RemoveMemberMutationVariables>;
export const CreateTeamDocument = new TypedDocumentString(`
    mutation CreateTeam($organizationId: ID!, $name: String!, $description: String) {
  createTeam(
    organizationId: $organizationId
    name: $name
    description: $description
  ) {
    id
  }
}
    `) as unknown as TypedDocumentString<CreateTeamMutation, CreateTeamMutationVariables>;
export const DeleteTeamDocument = new TypedDocumentString(`
    mutation DeleteTeam($organizationId: ID!, $teamId: ID!) {
  deleteTeam(organizationId: $organizationId, teamId: $teamId) {
    id
  }
}
    `) as unknown as TypedDocumentString<DeleteTeamMutation, DeleteTeamMutationVariables>;
export const AddTeamMemberDocument = new TypedDocumentString(`
    mutation AddTeamMember($organizationId: ID!, $teamId: ID!, $memberId: ID!) {
  addTeamMember(
    organizationId: $organizationId
    teamId: $teamId
    memberId: $memberId
  ) {
    id
  }
}
    `) as unknown as TypedDocumentString<AddTeamMemberMutation, AddTeamMemberMutationVariables>;
export const RemoveTeamMemberDocument = new TypedDocumentString(`
    mutation RemoveTeamMember($organizationId: ID!, $teamId: ID!, $memberId: ID!) {
  removeTeamMember(
    organizationId: $organizationId
    teamId: $teamId
    memberId: $memberId
  ) {
    id
  }
}
    `) as unknown as TypedDocumentString<RemoveTeamMemberMutation, RemoveTeamMemberMutationVariables>;
export const GrantApplicationDocument = new TypedDocumentString(`
    mutation GrantApplication($organizationId: ID!, $teamId: ID!, $applicationId: ID!, $permission: Permission!) {
  setTeamApplication(
    organizationId: $organizationId
    teamId: $teamId
    applicationId: $applicationId
    permission: $permission
  ) {
    id
  }
}
    `) as unknown as TypedDocumentString<GrantApplicationMutation, GrantApplicationMutationVariables>;
export const RevokeApplicationDocument = new TypedDocumentString(`
    mutation RevokeApplication($organizationId: ID!, $teamId: ID!, $applicationId: ID!) {
  removeTeamApplication(
    organizationId: $organizationId
    teamId: $teamId
    applicationId: $applicationId
  ) {
    id
  }
}
    `) as unknown as TypedDocumentString<RevokeApplicationMutation, RevokeApplicationMutationVariables>;
export const FindUserDocument = new TypedDocumentString(`
    query FindUser($q: String) {
  accounts(q: $q, limit: 10) {
    items {
      id
      username
    }
  }
}
    `) as unknown as TypedDocumentString<FindUserQuery, FindUserQueryVariables>;
export const CreateInvitationDocument = new TypedDocumentString(`
    mutation CreateInvitation($organizationId: ID!, $email: EmailAddress!, $role: Role!, $teamIds: [ID!]) {
  createInvitation(
    organizationId: $organizationId
    email: $email
    role: $role
    teamIds: $teamIds
  ) {
    url
    mail
  }
}
    `) as unknown as TypedDocumentString<CreateInvitationMutation, CreateInvitationMutationVariables>;
export const ResendInvitationDocument = new TypedDocumentString(`
    mutation ResendInvitation($organizationId: ID!, $invitationId: ID!) {
  resendInvitation(organizationId: $organizationId, invitationId: $invitationId) {
    url
    mail
  }
}
    `) as unknown as TypedDocumentString<ResendInvitationMutation, ResendInvitationMutationVariables>;
export const RevokeInvitationDocument = new TypedDocumentString(`
    mutation RevokeInvitation($organizationId: ID!, $invitationId: ID!) {
  revokeInvitation(organizationId: $organizationId, invitationId: $invitationId) {
    id
  }
}
    `) as unknown as TypedDocumentString<RevokeInvitationMutation, RevokeInvitationMutationVariables>;
export const PeopleDocument = new TypedDocumentString(`
    query People($organizationId: ID!, $limit: Int!, $page: Int!, $sort: String, $q: String, $owns: Boolean!) {
  organizationMembers(
    organizationId: $organizationId
    limit: $limit
    page: $page
    sort: $sort
    q: $q
  ) {
    totalCount
    items {
      id
      username
      name
      role
      teams(limit: 50, sort: "name") {
        totalCount
        items {
          id
          name
        }
      }
    }
  }
  teams(organizationId: $organizationId, limit: 50, sort: "name") {
    totalCount
    items {
      id
      name
      description
      members(limit: 20) {
        totalCount
        items {
          id
          username
        }
      }
      grants(limit: 200, sort: "name") {
        totalCount
        items {
          permission
          application {
            id
            name
          }
        }
      }
    }
  }
  applications(organizationId: $organizationId, limit: 200, sort: "name") {
    totalCount
    items {
      id
      name
    }
  }
  invitations(organizationId: $organizationId, limit: 100) @include(if: $owns) {
    items {
      id
      email
      role
      expiresAt
    }
  }
  sessions(organizationId: $organizationId, limit: 100, sort: "-lastUsedAt") @include(if: $owns) {
    items {
      ...SessionLine
    }
  }
}
    fragment SessionLine on Session {
  id
  createdAt
  lastUsedAt
  userAgent
  address
  current
  user {
    username
  }
}`) as unknown as TypedDocumentString<PeopleQuery, PeopleQueryVariables>;
export const CreateProductDocument = new TypedDocumentString(`
    mutation CreateProduct($organizationId: ID!, $name: String!, $version: String!, $variables: [VariableInput!]!) {
  createProduct(
    organizationId: $organizationId
    name: $name
    version: $version
    variables: $variables
  ) {
    id
  }
}
    `) as unknown as TypedDocumentString<CreateProductMutation, CreateProductMutationVariables>;
export const DecodeFrameDocument = new TypedDocumentString(`
    query DecodeFrame($organizationId: ID!, $productId: ID!, $streamId: Int!, $streamType: StreamType!, $payload: String!, $encoding: String) {
  decodeFrame(
    organizationId: $organizationId
    productId: $productId
    streamId: $streamId
    streamType: $streamType
    payload: $payload
    encoding: $encoding
  ) {
    status
    data
    parts {
      bytes
      offset
      variable
      value
      warning
    }
    unusedMappings {
      variable
      streamId
      streamType
      varNumber
    }
  }
}
    `) as unknown as TypedDocumentString<DecodeFrameQuery, DecodeFrameQueryVariables>;
export const DeleteProductDocument = new TypedDocumentString(`
    mutation DeleteProduct($organizationId: ID!, $productId: ID!) {
  deleteProduct(organizationId: $organizationId, productId: $productId) {
    id
  }
}
    `) as unknown as TypedDocumentString<DeleteProductMutation, DeleteProductMutationVariables>;
export const FormulaDevicesDocument = new TypedDocumentString(`
    query FormulaDevices($organizationId: ID!, $productId: ID!) {
  devices(
    organizationId: $organizationId
    filter: {productIds: [$productId]}
    limit: 50
    sort: "-lastRecordAt"
  ) {
    items {
      id
      serial
      name
    }
  }
}
    `) as unknown as TypedDocumentString<FormulaDevicesQuery, FormulaDevicesQueryVariables>;
export const PreviewFormulasDocument = new TypedDocumentString(`
    query PreviewFormulas($organizationId: ID!, $productId: ID!, $deviceId: ID!, $derived: [DerivedVariableInput!]!, $limit: Int) {
  previewFormulas(
    organizationId: $organizationId
    productId: $productId
    deviceId: $deviceId
    derived: $derived
    limit: $limit
  ) {
    faults {
      index
      message
      at
    }
    records {
      recordId
      ts
      inputs
      values {
        name
        value
        code
        input
      }
    }
  }
}
    `) as unknown as TypedDocumentString<PreviewFormulasQuery, PreviewFormulasQueryVariables>;
export const ProductDocument = new TypedDocumentString(`
    query Product($organizationId: ID!, $productId: ID!, $owns: Boolean!) {
  product(organizationId: $organizationId, productId: $productId) {
    id
    name
    version
    public
    deviceCount
    createdAt
    updatedAt
    variables {
      name
      type
      unit
      mappings {
        streamId
        streamType
        varNumber
      }
    }
    settings {
      variables {
        name
        counter {
          rollsOverAt
          jitter
        }
        words {
          value
          word
        }
        decimals
      }
      derived {
        name
        unit
        type
        formula
      }
      commands {
        ...DeclaredCommand
      }
      state {
        name
        type
        unit
      }
      version
    }
    applications(limit: 50, sort: "name") {
      items {
        id
        name
      }
    }
  }
  provisioningTokens(
    organizationId: $organizationId
    productId: $productId
    limit: 50
    sort: "-createdAt"
  ) @include(if: $owns) {
    items {
      id
      name
      prefix
      deviceLimit
      deviceCount
      createdAt
      lastUsedAt
      expiresAt
      revokedAt
    }
  }
}
    fragment DeclaredCommand on CommandDeclaration {
  name
  parameters {
    name
    type
    unit
  }
  streamId
  streamType
  confirmed
  secret
}`) as unknown as TypedDocumentString<ProductQuery, ProductQueryVariables>;
export const ProductsDocument = new TypedDocumentString(`
    query Products($organizationId: ID!, $limit: Int!, $page: Int!, $sort: String, $q: String) {
  products(
    organizationId: $organizationId
    limit: $limit
    page: $page
    sort: $sort
    q: $q
  ) {
    totalCount
    items {
      id
      name
      version
      public
      deviceCount
      variables {
        name
      }
    }
  }
}
    `) as unknown as TypedDocumentString<ProductsQuery, ProductsQueryVariables>;
export const CreateProvisioningTokenDocument = new TypedDocumentString(`
    mutation CreateProvisioningToken($organizationId: ID!, $productId: ID!, $name: String, $deviceLimit: Int!, $expiresAt: DateTimeISO!) {
  createProvisioningToken(
    organizationId: $organizationId
    productId: $productId
    name: $name
    deviceLimit: $deviceLimit
    expiresAt: $expiresAt
  ) {
    token
  }
}
    `) as unknown as TypedDocumentString<CreateProvisioningTokenMutation, CreateProvisioningTokenMutationVariables>;
export const RevokeProvisioningTokenDocument = new TypedDocumentString(`
    mutation RevokeProvisioningToken($organizationId: ID!, $productId: ID!, $provisioningTokenId: ID!) {
  revokeProvisioningToken(
    organizationId: $organizationId
    productId: $productId
    provisioningTokenId: $provisioningTokenId
  ) {
    id
  }
}
    `) as unknown as TypedDocumentString<RevokeProvisioningTokenMutation, RevokeProvisioningTokenMutationVariables>;
export const PutProductSettingsDocument = new TypedDocumentString(`
    mutation PutProductSettings($organizationId: ID!, $productId: ID!, $settings: ProductSettingsInput!, $version: String) {
  putProductSettings(
    organizationId: $organizationId
    productId: $productId
    settings: $settings
    version: $version
  ) {
    id
  }
}
    `) as unknown as TypedDocumentString<PutProductSettingsMutation, PutProductSettingsMutationVariables>;
export const RedecodeDocument = new TypedDocumentString(`
    mutation Redecode($organizationId: ID!, $productId: ID!, $from: UnixTime, $to: UnixTime, $dryRun: Boolean) {
  redecodeProduct(
    organizationId: $organizationId
    productId: $productId
    from: $from
    to: $to
    dryRun: $dryRun
  ) {
    id
  }
}
    `) as unknown as TypedDocumentString<RedecodeMutation, RedecodeMutationVariables>;
export const UpdateProductDocument = new TypedDocumentString(`
    mutation UpdateProduct($organizationId: ID!, $productId: ID!, $name: String!, $version: String!, $variables: [VariableInput!]!) {
  updateProduct(
    organizationId: $organizationId
    productId: $productId
    name: $name
    version: $version
    variables: $variables
  ) {
    id
  }
}
    `) as unknown as TypedDocumentString<UpdateProductMutation, UpdateProductMutationVariables>;
export const RevokeTokenDocument = new TypedDocumentString(`
    mutation RevokeToken($organizationId: ID!, $tokenId: ID!) {
  revokeApiToken(organizationId: $organizationId, tokenId: $tokenId) {
    id
  }
}
    `) as unknown as TypedDocumentString<RevokeTokenMutation, RevokeTokenMutationVariables>;
export const SessionDocument = new TypedDocumentString(`
    query Session {
  account {
    id
    name
    username
    avatarURL
  }
  viewer {
    scope
    role
    userId
    mqtt {
      port
      encrypted
    }
  }
}
    `) as unknown as TypedDocumentString<SessionQuery, SessionQueryVariables>;
export const MySessionsDocument = new TypedDocumentString(`
    query MySessions($limit: Int!, $page: Int!, $sort: String!) {
  mySessions(limit: $limit, page: $page, sort: $sort) {
    totalCount
    items {
      ...SessionLine
    }
  }
}
    fragment SessionLine on Session {
  id
  createdAt
  lastUsedAt
  userAgent
  address
  current
  user {
    username
  }
}`) as unknown as TypedDocumentString<MySessionsQuery, MySessionsQueryVariables>;
export const RevokeMySessionsDocument = new TypedDocumentString(`
    mutation RevokeMySessions($sessionIds: [ID!]!) {
  revokeMySessions(sessionIds: $sessionIds) {
    count
  }
}
    `) as unknown as TypedDocumentString<RevokeMySessionsMutation, RevokeMySessionsMutationVariables>;
export const RevokeSessionDocument = new TypedDocumentString(`
    mutation RevokeSession($organizationId: ID!, $sessionId: ID!) {
  revokeSession(organizationId: $organizationId, sessionId: $sessionId) {
    id
  }
}
    `) as unknown as TypedDocumentString<RevokeSessionMutation, RevokeSessionMutationVariables>;
export const CreateSiteDocument = new TypedDocumentString(`
    mutation CreateSite($organizationId: ID!, $name: String!, $kind: String, $parentId: ID, $timeZone: String) {
  createSite(
    organizationId: $organizationId
    name: $name
    kind: $kind
    parentId: $parentId
    timeZone: $timeZone
  ) {
    id
  }
}
    `) as unknown as TypedDocumentString<CreateSiteMutation, CreateSiteMutationVariables>;
export const UpdateSiteDocument = new TypedDocumentString(`
    mutation UpdateSite($organizationId: ID!, $siteId: ID!, $name: String!, $kind: String, $parentId: ID, $timeZone: String) {
  updateSite(
    organizationId: $organizationId
    siteId: $siteId
    name: $name
    kind: $kind
    parentId: $parentId
    timeZone: $timeZone
  ) {
    id
  }
}
    `) as unknown as TypedDocumentString<UpdateSiteMutation, UpdateSiteMutationVariables>;
export const DeleteSiteDocument = new TypedDocumentString(`
    mutation DeleteSite($organizationId: ID!, $siteId: ID!, $contents: SiteContents!) {
  deleteSite(
    organizationId: $organizationId
    siteId: $siteId
    contents: $contents
  ) {
    id
  }
}
    `) as unknown as TypedDocumentString<DeleteSiteMutation, DeleteSiteMutationVariables>;
export const MoveDevicesDocument = new TypedDocumentString(`
    mutation MoveDevices($organizationId: ID!, $siteId: ID!, $serials: [Serial!]!) {
  moveDevices(organizationId: $organizationId, siteId: $siteId, serials: $serials) {
    changed
  }
}
    `) as unknown as TypedDocumentString<MoveDevicesMutation, MoveDevicesMutationVariables>;
export const SiteSeriesDocument = new TypedDocumentString(`
    query SiteSeries($organizationId: ID!, $siteId: ID!, $variable: String!, $from: UnixTime, $to: UnixTime, $points: Int, $calendarInterval: CalendarInterval, $timeZone: String, $perDevice: DeviceReduction, $combine: DeviceCombination) {
  site(organizationId: $organizationId, siteId: $siteId) {
    id
    groupSeries(
      variable: $variable
      from: $from
      to: $to
      points: $points
      calendarInterval: $calendarInterval
      timeZone: $timeZone
      perDevice: $perDevice
      combine: $combine
    ) {
      ...GroupLine
    }
  }
}
    fragment GroupLine on GroupSeries {
  key
  name
  others
  unit
  interval
  ts
  values
  lowest
  highest
  devices
  expected
  bridged
}`) as unknown as TypedDocumentString<SiteSeriesQuery, SiteSeriesQueryVariables>;
export const SiteDocument = new TypedDocumentString(`
    query Site($organizationId: ID!, $siteId: ID!, $limit: Int!, $page: Int!, $sort: String) {
  site(organizationId: $organizationId, siteId: $siteId) {
    id
    name
    kind
    timeZone
    externalId
    parentId
    path
    parent {
      ...SiteAbove
      parent {
        ...SiteAbove
        parent {
          ...SiteAbove
          parent {
            ...SiteAbove
            parent {
              ...SiteAbove
              parent {
                ...SiteAbove
                parent {
                  ...SiteAbove
                }
              }
            }
          }
        }
      }
    }
    children(limit: 200, sort: "name") {
      totalCount
      items {
        ...SiteLine
        devices(below: true, limit: 1) {
          totalCount
        }
      }
    }
    devices(below: true, limit: $limit, page: $page, sort: $sort) {
      totalCount
      items {
        id
        name
        serial
        lastRecordAt
        site {
          id
          name
        }
      }
    }
    measured: devices(below: true, limit: 100) {
      totalCount
      items {
        id
        product {
          ...MeasuredProduct
        }
      }
    }
  }
  products(organizationId: $organizationId, limit: 100, sort: "name") {
    items {
      ...MeasuredProduct
    }
  }
}
    fragment ShownVariables on Product {
  variables: recordedVariables {
    name
    type
    unit
    decimals
    words
  }
}
fragment SiteAbove on Site {
  id
  name
  timeZone
}
fragment MeasuredProduct on Product {
  id
  ...ShownVariables
  settings {
    variables {
      name
      counter {
        jitter
      }
    }
  }
}
fragment SiteLine on Site {
  id
  name
  kind
  path
}`) as unknown as TypedDocumentString<SiteQuery, SiteQueryVariables>;
export const SitesDocument = new TypedDocumentString(`
    query Sites($organizationId: ID!, $limit: Int!, $q: String) {
  sites(organizationId: $organizationId, limit: $limit, q: $q) {
    totalCount
    items {
      ...SiteLine
      devices(below: true, limit: 1) {
        totalCount
      }
    }
  }
}
    fragment SiteLine on Site {
  id
  name
  kind
  path
}`) as unknown as TypedDocumentString<SitesQuery, SitesQueryVariables>;
export const SiteChoicesDocument = new TypedDocumentString(`
    query SiteChoices($organizationId: ID!, $limit: Int!) {
  sites(organizationId: $organizationId, limit: $limit) {
    totalCount
    items {
      ...SiteLine
    }
  }
}
    fragment SiteLine on Site {
  id
  name
  kind
  path
}`) as unknown as TypedDocumentString<SiteChoicesQuery, SiteChoicesQueryVariables>;
export const TokensDocument = new TypedDocumentString(`
    query Tokens($organizationId: ID!, $page: Int!, $limit: Int!, $sort: String) {
  apiTokens(
    organizationId: $organizationId
    page: $page
    limit: $limit
    sort: $sort
  ) {
    totalCount
    items {
      id
      name
      prefix
      scope
      createdAt
      lastUsedAt
      expiresAt
      revokedAt
      user {
        username
      }
    }
  }
}
    `) as unknown as TypedDocumentString<TokensQuery, TokensQueryVariables>;
export const UsageDocument = new TypedDocumentString(`
    query Usage($organizationId: ID!, $fromDay: String!) {
  usage(
    organizationId: $organizationId
    fromDay: $fromDay
    limit: 400
    sort: "day"
  ) {
    items {
      day
      records
      bytes
      deliveries
      calls
      commands
    }
  }
  byProduct: usage(
    organizationId: $organizationId
    by: product
    fromDay: $fromDay
    limit: 1000
  ) {
    totalCount
    items {
      productId
      records
      bytes
      deliveries
    }
  }
  byApplication: usage(
    organizationId: $organizationId
    by: application
    fromDay: $fromDay
    limit: 1000
  ) {
    totalCount
    items {
      applicationId
      records
      bytes
      deliveries
    }
  }
  quota(organizationId: $organizationId) {
    recordsPerDay {
      ...QuotaLine
    }
    devices {
      ...QuotaLine
    }
    storedBytes {
      ...QuotaLine
    }
    commandsPerDay {
      ...QuotaLine
    }
  }
  products(organizationId: $organizationId, limit: 200) {
    items {
      id
      name
    }
  }
  applications(organizationId: $organizationId, limit: 200) {
    items {
      id
      name
    }
  }
}
    fragment QuotaLine on QuotaState {
  limit
  used
  until
}`) as unknown as TypedDocumentString<UsageQuery, UsageQueryVariables>;
export const ViewerNameDocument = new TypedDocumentString(`
    query ViewerName($id: ID!) {
  node(id: $id) {
    id
    ... on User {
      name
      username
    }
  }
}
    `) as unknown as TypedDocumentString<ViewerNameQuery, ViewerNameQueryVariables>;