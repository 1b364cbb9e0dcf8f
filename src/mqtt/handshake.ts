import { randomUUID } from 'node:crypto';
import type { IConnackPacket, IConnectPacket } from 'mqtt-packet';
import { ApiError } from '#common/errors.js';
import { maxInFlight } from './inbox.js';
import { maxPacketBytes } from './packet.js';
import { PacketRefusal, ReasonCode, returnCodeOf } from './reason.js';

/** Maximum keep-alive in seconds. It also applies to clients that ask for none. */
const longestKeepAlive = 1200;

/** The contents of a CONNECT. */
export interface Greeting {
  /** Empty if the client leaves the choice to the server. */
  clientId: string;
  /** Value of an equivalent `Authorization` header; undefined without a token. */
  authorization: string | undefined;
  /** Maximum time between the client's packets, in seconds. */
  keepAlive: number;
  /** Whether packets may carry reason strings (MQTT 5.0, section 3.1.2.11.7). */
  wantsWords: boolean;
  /** Maximum number of messages at QoS 1 that the client takes at once; undefined without a maximum. */
  receiveMaximum: number | undefined;
}

/**
 * Reads a CONNECT.
 * @throws PacketRefusal if it asks for an unsupported feature
 */
export function readConnect(packet: IConnectPacket): Greeting {
  const { clientId, keepalive = 0, protocolVersion, will, properties } = packet;
  if (protocolVersion !== 4 && protocolVersion !== 5)
    throw new PacketRefusal(ReasonCode.unsupportedVersion, 'Connect with MQTT 3.1.1 or 5.');
  if (clientId === '' && protocolVersion === 4 && packet.clean === false)
    throw new PacketRefusal(ReasonCode.clientIdentifier, 'A session that is kept needs a client identifier.');
  if (properties?.authenticationMethod !== undefined)
    throw new PacketRefusal(ReasonCode.badAuthenticationMethod, 'Authenticate with a token as user name or password.');
  if (will && protocolVersion === 5 && will.qos === 2) throw new PacketRefusal(ReasonCode.qos, 'QoS is at most 1.');
  if (will && protocolVersion === 5 && will.retain)
    throw new PacketRefusal(ReasonCode.retain, 'Retained messages are not supported.');
  if (properties?.maximumPacketSize === 0)
    throw new PacketRefusal(
      ReasonCode.protocolError,
      'Maximum Packet Size must be at least 1; leave it out for packets of any size.',
    );
  if (properties?.receiveMaximum === 0)
    throw new PacketRefusal(ReasonCode.protocolError, 'Receive Maximum must be at least 1; leave it out for 65535.');
  return {
    clientId,
    authorization: authorizationOf(packet),
    keepAlive: keepalive === 0 || keepalive > longestKeepAlive ? longestKeepAlive : keepalive,
    wantsWords: properties?.requestProblemInformation !== false,
    receiveMaximum: properties?.receiveMaximum,
  };
}

/**
 * Returns the token as an `Authorization` header: the user name if it is a token, whatever the password is; else the
 * password.
 */
function authorizationOf({ username, password }: IConnectPacket): string | undefined {
  const token = username?.startsWith('ddp_') ? username : password?.toString();
  return token === undefined ? undefined : `Bearer ${token}`;
}

/** Builds the CONNACK of an accepted client. It states which features exist (MQTT 5.0, section 3.2.2.3). */
export const acceptConnection = ({ clientId, keepalive }: IConnectPacket, { keepAlive }: Greeting): IConnackPacket => ({
  cmd: 'connack',
  sessionPresent: false,
  returnCode: 0,
  reasonCode: ReasonCode.success,
  properties: {
    sessionExpiryInterval: 0,
    receiveMaximum: maxInFlight,
    maximumQoS: 1,
    retainAvailable: false,
    maximumPacketSize: maxPacketBytes,
    wildcardSubscriptionAvailable: true,
    subscriptionIdentifiersAvailable: false,
    sharedSubscriptionAvailable: false,
    ...(clientId === '' && { assignedClientIdentifier: randomUUID() }),
    ...(keepalive !== keepAlive && { serverKeepAlive: keepAlive }),
  },
});

/** Builds the CONNACK of a refused client. */
export const refuseConnection = ({ reason, message }: PacketRefusal): IConnackPacket => ({
  cmd: 'connack',
  sessionPresent: false,
  returnCode: returnCodeOf(reason),
  reasonCode: reason,
  properties: { reasonString: message },
});

/**
 * Returns the refusal of a CONNECT. An unknown token counts as bad credentials; a client that connects too often is
 * told to wait.
 */
export function connectRefusal(error: unknown, refusalOf: (error: unknown) => PacketRefusal): PacketRefusal {
  const { reason, message } = refusalOf(error);
  const isUnknown = error instanceof ApiError && error.code === 'UNAUTHENTICATED';
  const isLimited = error instanceof ApiError && error.code === 'RATE_LIMITED';
  return new PacketRefusal(
    isUnknown ? ReasonCode.badCredentials : isLimited ? ReasonCode.connectionRate : reason,
    message,
  );
}

/** Refusal of a client that would not accept the answer to its CONNECT. */
export const tooSmall = new PacketRefusal(
  ReasonCode.packetTooLarge,
  'The client takes no packet as large as the answer to its CONNECT.',
);
