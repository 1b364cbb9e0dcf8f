import type { ISubackPacket } from 'mqtt-packet';
import { PacketRefusal, ReasonCode } from '../reason.js';
import { type Filter, readFilter } from './filter.js';

/** The granted QoS, or the refusal of a subscription. */
export type Grant = 0 | 1 | PacketRefusal;

/** Returns the reason of a refusal as a SUBACK may have it (MQTT 5.0, section 3.9.3). */
const reasonOf = ({ reason }: PacketRefusal): ReasonCode => (ofSuback.has(reason) ? reason : ReasonCode.implementation);

const ofSuback: ReadonlySet<ReasonCode> = new Set([
  ReasonCode.notAuthorized,
  ReasonCode.topicFilter,
  ReasonCode.quotaExceeded,
  ReasonCode.sharedSubscription,
]);

/** Returns a topic filter, or the refusal of it. */
export const filterOf = (topic: string): Filter | PacketRefusal => {
  try {
    return readFilter(topic);
  } catch (error) {
    if (error instanceof PacketRefusal) return error;
    throw error;
  }
};

/**
 * Builds the answer to a SUBSCRIBE.
 * @param isNew whether the client speaks MQTT 5, which has reasons
 */
export const subackOf = (
  messageId: number,
  grants: readonly Grant[],
  { isNew, wantsWords }: { isNew: boolean; wantsWords: boolean },
): ISubackPacket => {
  const granted = grants.map((grant) =>
    typeof grant === 'number' ? grant : isNew ? reasonOf(grant) : ReasonCode.unspecified,
  );
  const refusal = grants.find((grant) => grant instanceof PacketRefusal);
  const words = refusal && isNew && wantsWords ? { properties: { reasonString: refusal.message } } : {};
  return { cmd: 'suback', messageId, granted, ...words };
};
