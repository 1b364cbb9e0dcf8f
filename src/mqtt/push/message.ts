import type { DesiredPart } from '#downlink/device-state.js';
import type { HandedCommand } from '#entities/command.js';
import type { Form } from './filter.js';

/** A message to a client. */
export interface Message {
  topic: string;
  payload: string;
}

/**
 * Builds the message that hands a command over.
 * @param device name of the device for a gateway
 */
export const commandMessage = (form: Form, command: HandedCommand, device: string): Message => {
  if (form === 'own') return { topic: 'ddp/commands', payload: JSON.stringify(command) };
  const { id, name, parameters, payload } = command;
  const call = { method: name, params: parameters ?? payload ?? {} };
  if (form === 'gateway')
    return { topic: 'v1/gateway/rpc', payload: JSON.stringify({ device, data: { id: callNumber(id), ...call } }) };
  return { topic: `v1/devices/me/rpc/request/${callNumber(id)}`, payload: JSON.stringify(call) };
};

/**
 * Returns the number of a call by which ThingsBoard's clients name a command: 31 bits of its random part. A device that
 * answers after it has connected again so names the same command.
 */
export const callNumber = (commandId: string): number => Number.parseInt(commandId.slice(-8), 16) & 0x7fff_ffff;

/** Builds the message about desired values. A value that was taken away is null; ThingsBoard has a list of names. */
export const stateMessage = (form: Form, parts: readonly DesiredPart[], device: string): Message => {
  if (form === 'own') {
    const desired = Object.fromEntries(parts.map(({ name, value, version }) => [name, { value, version }]));
    return { topic: 'ddp/state', payload: JSON.stringify({ desired }) };
  }
  const deleted = parts.filter(({ value }) => value === null).map(({ name }) => name);
  const values = parts.filter(({ value }) => value !== null).map(({ name, value }) => [name, value] as const);
  const attributes = { ...Object.fromEntries(values), ...(deleted.length > 0 && { deleted }) };
  return form === 'gateway'
    ? { topic: 'v1/gateway/attributes', payload: JSON.stringify({ device, data: attributes }) }
    : { topic: 'v1/devices/me/attributes', payload: JSON.stringify(attributes) };
};
