import { useState } from 'preact/hooks';
import { organizationId, viewerId } from '../api/session.js';

/**
 * Returns the value that this browser keeps under a name, and the function that changes it. Each account and
 * organization has its own value, so that people who share a browser do not share it. The value never reaches the
 * service.
 */
export function useKept<Value>(name: string, initial: Value): [Value, (value: Value) => void] {
  const key = `ddp.${name}.${viewerId.value}.${organizationId.value}`;
  const [state, setState] = useState(() => ({ key, value: read(key, initial) }));
  const now = state.key === key ? state.value : read(key, initial);
  const keep = (value: Value) => {
    localStorage.setItem(key, JSON.stringify(value));
    setState({ key, value });
  };
  return [now, keep];
}

const read = <Value>(key: string, initial: Value): Value => {
  try {
    return (JSON.parse(localStorage.getItem(key) ?? 'null') as Value | null) ?? initial;
  } catch {
    return initial;
  }
};
