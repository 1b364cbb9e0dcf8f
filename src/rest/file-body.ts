import type { Request } from 'express';
import { malformed, unsupportedMediaType } from '#common/errors.js';
import { FileBody, type ImportFormat } from '#entities/file-import.js';
import { decoderOf, mediaTypeOf } from '#http/body.js';
import type { Hold } from '#http/in-flight.js';

/** Media type of each file format. */
const fileTypes: Readonly<Record<`${ImportFormat}`, string>> = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
};

/**
 * Opens a body that is a file in one of these formats, without reading it yet. `hold` counts the part of the file that
 * is in memory.
 * @throws unsupportedMediaType; malformed when the request has no body.
 */
export const openFileBody = (request: Request, formats: readonly `${ImportFormat}`[], hold: Hold): FileBody => {
  const { headers } = request;
  if (headers['content-length'] === '0' || (headers['content-length'] ?? headers['transfer-encoding']) === undefined)
    throw malformed('Send the file as the body of the request.');
  const type = mediaTypeOf(headers['content-type']).replace('application/ndjson', fileTypes.ndjson);
  const format = formats.find((each) => fileTypes[each] === type);
  if (format === undefined)
    throw unsupportedMediaType(
      `Send the file as it is, with its type: ${formats.map((each) => `"Content-Type: ${fileTypes[each]}"`).join(', or ')}.`,
    );
  const decoder = decoderOf(headers['content-encoding']);
  return new FileBody(format as ImportFormat, async function* bytes() {
    const source = decoder === undefined ? request : request.pipe(decoder);
    const broken = () => decoder?.destroy(malformed(ended));
    // `pipe` does not end its target when the source breaks off.
    request.once('error', broken).once('close', () => request.complete || broken());
    try {
      for await (const chunk of source.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        hold(chunk.length);
        yield chunk;
        hold(-chunk.length);
      }
    } catch (error) {
      throw isOfStream(error) ? malformed(ended) : error;
    } finally {
      if (decoder !== undefined) request.unpipe(decoder);
      decoder?.destroy();
      // The rest of the body is read and discarded, so that the client gets to read the answer.
      request.resume();
    }
  });
};

const ended = 'The body ended early or cannot be decompressed.';

/** Whether an error comes from the body's stream or its decompression. */
const isOfStream = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && /^(Z_|ERR_|ECONN)/.test(String(error.code));
