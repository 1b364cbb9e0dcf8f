import type { ISubscribePacket, IUnsubscribePacket, Packet } from 'mqtt-packet';
import { type ProtocolVersion, requireIdentifier } from './packet.js';
import { Reason, Refusal } from './reason.js';

/**
 * Returns the answer to a SUBSCRIBE or UNSUBSCRIBE: nobody may subscribe.
 * @throws Refusal if the packet is broken
 */
export function answerSubscription(packet: ISubscribePacket | IUnsubscribePacket, version: ProtocolVersion): Packet {
  const { messageId = 0 } = packet;
  requireIdentifier(messageId);
  if (packet.cmd === 'unsubscribe') {
    return { cmd: 'unsuback', messageId, granted: packet.unsubscriptions.map(() => Reason.noSubscription) };
  }
  if (packet.subscriptions.length === 0) throw new Refusal(Reason.protocolError, 'SUBSCRIBE must name a topic.');
  const code = version === 5 ? Reason.notAuthorized : Reason.unspecified;
  return { cmd: 'suback', messageId, granted: packet.subscriptions.map(() => code) };
}
