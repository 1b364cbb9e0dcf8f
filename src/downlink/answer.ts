import { invalid } from '#common/errors.js';
import { isStorableJson, unstorable } from '#entities/storable.js';
import type { NewEvidence } from './note-evidence.js';

/** Maximum size of a result or error, in characters of JSON. */
const maxCharacters = 4096;

/**
 * Reads the answer of a device to a command: a result, or an error.
 * @throws invalid
 */
export const readAnswer = ({ result, error }: { result?: unknown; error?: unknown }): NewEvidence => {
  if (result != null && error != null) throw invalid([{ path: 'error', message: 'must not come with a result' }]);
  const path = error == null ? 'result' : 'error';
  const detail = error == null ? { result: result ?? null } : { error };
  if (JSON.stringify(detail).length > maxCharacters)
    throw invalid([{ path, message: `must have at most ${maxCharacters} characters of JSON` }]);
  if (!isStorableJson(detail)) throw invalid([{ path, message: unstorable }]);
  return { source: 'device', kind: 'answered', code: error == null ? null : 'DEVICE_ERROR', detail };
};
