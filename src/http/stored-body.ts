import { malformed } from '#common/errors.js';
import { maxItems } from '#entities/ingest-answer.js';
import { JsonSyntaxError, textAfterValue } from '#json/json.js';
import { parsePlain, parsePlainLines, parsePlainRecords, parsePlainRecordsInSlices } from '#json/plain.js';
import { asMalformed } from './body.js';

/** The content of a body that is stored. */
interface StoredBody {
  /** Whether the body is NDJSON, one record per line. */
  lines: boolean;
  /** Whether the body has records in the platform's own format. Otherwise a network server sent it in its format. */
  records: boolean;
  /** Advice for a sender whose body of records has several JSON values. */
  severalValues?: string;
}

/** Bodies of records with more characters than this are read in time slices. */
const largeBody = 64 * 1024;

/**
 * Reads a body that is stored. Positions of its values are not kept.
 * @param organizationId organization whose time slices pay for the reading.
 * @throws malformed when the body is not JSON, or neither an object nor an array.
 */
export const readStoredBody = async (
  text: string,
  { lines, records, severalValues }: StoredBody,
  organizationId: string,
): Promise<object> => {
  const read = async (): Promise<unknown> => {
    if (lines) return parsePlainLines(text, maxItems, organizationId);
    if (records && text.length > largeBody) return parsePlainRecordsInSlices(text, organizationId);
    return records ? parsePlainRecords(text) : parsePlain(text);
  };
  const body = await read().catch((error: unknown) => {
    const isSeveral = error instanceof JsonSyntaxError && error.message === textAfterValue;
    return asMalformed(error, records && isSeveral ? severalValues : undefined);
  });
  if (typeof body !== 'object' || body === null) throw malformed('The body must be a JSON object or array.');
  return body;
};
