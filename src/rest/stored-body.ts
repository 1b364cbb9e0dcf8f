import { maxItems } from '../entities/ingest-answer.js';
import { malformed } from '../errors.js';
import { JsonSyntaxError } from '../json.js';
import { parsePlain, parsePlainLines, parsePlainRecords, parsePlainRecordsInSlices } from '../json-plain.js';

/** What a body that is stored holds. */
interface StoredBody {
  /** NDJSON, one record a line. */
  lines: boolean;
  /** Records in our own form; else what a network server sends. */
  records: boolean;
}

/** Characters of records that are read at once. */
const largeBody = 64 * 1024;

/**
 * Reads a body that is stored: positions of its values are not kept.
 * @param organizationId whose time slices it takes
 * @throws malformed where it is not JSON, or no object or array
 */
export const readStoredBody = async (
  text: string,
  { lines, records }: StoredBody,
  organizationId: string,
): Promise<object> => {
  const read = async (): Promise<unknown> => {
    if (lines) return parsePlainLines(text, maxItems, organizationId);
    if (records && text.length > largeBody) return parsePlainRecordsInSlices(text, organizationId);
    return records ? parsePlainRecords(text) : parsePlain(text);
  };
  const body = await read().catch(asMalformed);
  if (typeof body !== 'object' || body === null) throw malformed('The body must be a JSON object or array.');
  return body;
};

/** @throws malformed where an error says that a text is not JSON, else the error */
export const asMalformed = (error: unknown): never => {
  if (error instanceof JsonSyntaxError) {
    throw malformed(`The body is not JSON: ${error.message} (line ${error.line}, column ${error.col}).`);
  }
  if (error instanceof SyntaxError) throw malformed(`The body is not JSON: ${error.message}.`);
  throw error;
};
