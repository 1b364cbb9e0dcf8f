import { type ApiError, QuotaError } from '#common/errors.js';

/** Reason codes that the endpoint sends (MQTT 5.0, section 2.4). Codes from 0x80 on are errors. */
export const ReasonCode = {
  success: 0x00,
  noSubscription: 0x11,
  unspecified: 0x80,
  malformed: 0x81,
  protocolError: 0x82,
  implementation: 0x83,
  unsupportedVersion: 0x84,
  clientIdentifier: 0x85,
  badCredentials: 0x86,
  notAuthorized: 0x87,
  serverUnavailable: 0x88,
  badAuthenticationMethod: 0x8c,
  shuttingDown: 0x8b,
  keepAliveTimeout: 0x8d,
  topicFilter: 0x8f,
  topicName: 0x90,
  topicAlias: 0x94,
  packetTooLarge: 0x95,
  quotaExceeded: 0x97,
  payloadFormat: 0x99,
  retain: 0x9a,
  qos: 0x9b,
  sharedSubscription: 0x9e,
  connectionRate: 0x9f,
  subscriptionIdentifier: 0xa1,
} as const;

/** One of the reason codes. */
export type ReasonCode = (typeof ReasonCode)[keyof typeof ReasonCode];

/** Refusal of a packet, a message or a connection. */
export class PacketRefusal extends Error {
  constructor(
    readonly reason: ReasonCode,
    message: string,
    /** Whether the connection ends with it, in both protocol versions. */
    readonly isFatal = false,
  ) {
    super(message);
    this.name = 'Refusal';
  }
}

/** Returns the name of a reason code in metrics and the log. */
export const reasonName = (reason: ReasonCode): string => names.get(reason) ?? 'unspecified';

const names = new Map<ReasonCode, string>(Object.entries(ReasonCode).map(([name, reason]) => [reason, name]));

/** Translates an error of the API into the refusal of a message. */
export const refusalFor = (error: ApiError): PacketRefusal => {
  const { code, message, errors } = error;
  if (error instanceof QuotaError) return new PacketRefusal(ReasonCode.quotaExceeded, message);
  if (code === 'UNAUTHENTICATED') return new PacketRefusal(ReasonCode.notAuthorized, noToken, true);
  const reason = reasons[code] ?? ReasonCode.payloadFormat;
  const faults = errors?.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  return new PacketRefusal(reason, faults?.join(' ') ?? message, reason === ReasonCode.serverUnavailable);
};

/** The same text for a missing, an unknown, an expired and a revoked token. */
const noToken = 'Send a valid API token as user name or password.';

const reasons: Partial<Record<ApiError['code'], ReasonCode>> = {
  FORBIDDEN: ReasonCode.notAuthorized,
  NOT_FOUND: ReasonCode.implementation,
  TOO_LARGE: ReasonCode.quotaExceeded,
  RATE_LIMITED: ReasonCode.quotaExceeded,
  UNAVAILABLE: ReasonCode.serverUnavailable,
  TIMEOUT: ReasonCode.serverUnavailable,
  INTERNAL: ReasonCode.unspecified,
};

/** Returns the return code of a CONNACK (MQTT 3.1.1, section 3.2.2.3) that is nearest to a reason. */
export const returnCodeOf = (reason: ReasonCode): number => returnCodes[reason] ?? 3;

const returnCodes: Partial<Record<ReasonCode, number>> = {
  [ReasonCode.success]: 0,
  [ReasonCode.unsupportedVersion]: 1,
  [ReasonCode.clientIdentifier]: 2,
  [ReasonCode.badCredentials]: 4,
  [ReasonCode.notAuthorized]: 5,
};

const tooLate = (message: string) => new PacketRefusal(ReasonCode.keepAliveTimeout, message);

/** Refusals of clients that took too long. */
export const late = {
  connect: tooLate('The client did not send CONNECT in time.'),
  packet: tooLate('The client did not send the rest of a packet in time.'),
  drain: tooLate('The client did not read its packets in time.'),
  silent: tooLate('The client was silent for too long.'),
};
