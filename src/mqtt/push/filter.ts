import { PacketRefusal, ReasonCode } from '../reason.js';

/** The form in which a client speaks: the platform's own, or that of ThingsBoard's devices or gateways. */
export type Form = 'own' | 'thingsBoard' | 'gateway';

/** A topic filter. Answers come only to requests; some filters of ThingsBoard's clients bring nothing. */
export interface Filter {
  brings: 'commands' | 'state' | 'answers' | 'nothing';
  form: Form;
}

/** The filters that exist. Only these may have wildcards. */
const filters: ReadonlyMap<string, Filter> = new Map<string, Filter>([
  ['ddp/commands', { brings: 'commands', form: 'own' }],
  ['ddp/state', { brings: 'state', form: 'own' }],
  ['v1/devices/me/rpc/request/+', { brings: 'commands', form: 'thingsBoard' }],
  ['v1/devices/me/attributes', { brings: 'state', form: 'thingsBoard' }],
  ['v1/devices/me/attributes/response/+', { brings: 'answers', form: 'thingsBoard' }],
  ['v1/gateway/rpc', { brings: 'commands', form: 'gateway' }],
  ['v1/gateway/attributes', { brings: 'state', form: 'gateway' }],
  ['v1/gateway/attributes/response', { brings: 'answers', form: 'gateway' }],
  // Answers to calls of the device, which are acknowledged and not answered.
  ['v1/devices/me/rpc/response/+', { brings: 'nothing', form: 'thingsBoard' }],
]);

/**
 * Reads a topic filter.
 * @throws PacketRefusal for another filter
 */
export function readFilter(name: string): Filter {
  const filter = filters.get(name);
  if (filter !== undefined) return filter;
  if (name.startsWith('$share/'))
    throw new PacketRefusal(ReasonCode.sharedSubscription, 'Shared subscriptions are not supported.');
  throw new PacketRefusal(
    ReasonCode.topicFilter,
    `Subscribe to one of these: ${[...filters].flatMap(([each, { brings }]) => (brings === 'nothing' ? [] : [each])).join(', ')}.`,
  );
}
