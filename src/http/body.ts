import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { malformed, tooLarge, unsupportedMediaType } from '#common/errors.js';
import { JsonSyntaxError } from '#json/json.js';
import { timeSlices } from '#scheduling/time-slice.js';
import type { Hold } from './in-flight.js';

/** Rules for the body of a route. */
export interface BodyRules {
  /** Maximum size in bytes, after decompression. */
  bytes: number;
  /** Whether NDJSON, one JSON value per line, is accepted too. */
  lines: boolean;
  /** Error message for an unsupported media type. Absent: the general message. */
  otherTypes?: string | undefined;
}

export interface BodySender {
  /** Counts the bytes held in memory for the sender. */
  readonly hold: Hold;
  /** The organization whose time slices pay for reading the body. */
  readonly organizationId: string;
}

/** A body as text; '' when the request has none. */
export interface BodyText {
  text: string;
  /** Whether the body is NDJSON. */
  lines: boolean;
}

/** Memory that a chunk takes besides its bytes, in bytes. A body may arrive in chunks of one byte. */
const chunkCost = 200;

/** Bytes of output per decompression step. Each step occupies the event loop once. */
const chunkSize = 64 * 1024;

const jsonType = /^application\/(json|[\w.-]+\+json)$/;
const linesType = /^application\/((x-)?ndjson|[\w.-]+\+x-ndjson)$/;

/**
 * Reads a body, decompresses it and decodes it as UTF-8. `hold` counts its bytes as they arrive.
 * @throws unsupportedMediaType, tooLarge; malformed when the body ends early, does not decompress or is not UTF-8; and
 * what `hold` throws.
 */
export const readBody = async (
  request: IncomingMessage,
  rules: BodyRules,
  { hold, organizationId }: BodySender,
): Promise<BodyText> => {
  const { headers } = request;
  const length = headers['content-length'];
  if (length === '0' || (length === undefined && headers['transfer-encoding'] === undefined)) return empty;
  const lines = isLines(headers['content-type'], rules);
  const decoder = decoderOf(headers['content-encoding']);
  if (decoder === undefined && Number(length) > rules.bytes) throw oversized(rules);
  let size = 0;
  const count = (chunk: Buffer) => {
    size += chunk.length;
    if (size > rules.bytes) throw oversized(rules);
    hold(chunk.length + chunkCost);
  };
  return { text: await decodeChunks(await collect(request, decoder, count), organizationId), lines };
};

const empty: BodyText = { text: '', lines: false };

/**
 * Returns the media type of a `Content-Type` header in lower case.
 * @throws unsupportedMediaType when the charset is not UTF-8.
 */
export const mediaTypeOf = (contentType = 'application/json'): string => {
  const [type = '', ...parameters] = contentType
    .toLowerCase()
    .split(';')
    .map((each) => each.trim());
  const charset = parameters.find((each) => each.startsWith('charset='));
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) {
    throw unsupportedMediaType('The charset in Content-Type is not supported: send the body in UTF-8.');
  }
  return type;
};

const isLines = (contentType: string | undefined, rules: BodyRules): boolean => {
  const type = mediaTypeOf(contentType);
  if (rules.lines && linesType.test(type)) return true;
  if (jsonType.test(type)) return false;
  throw unsupportedMediaType(
    rules.otherTypes ??
      'The Content-Type is not supported: send the body as JSON, with the header "Content-Type: application/json".',
  );
};

/**
 * Returns the stream that decompresses a body; undefined when the body is not compressed.
 * @throws unsupportedMediaType
 */
export const decoderOf = (encoding = 'identity'): Transform | undefined => {
  switch (encoding.toLowerCase()) {
    case 'identity':
      return undefined;
    case 'gzip':
    case 'x-gzip':
      return createGunzip({ chunkSize });
    case 'deflate':
      return createInflate({ chunkSize });
    case 'br':
      return createBrotliDecompress({ chunkSize });
    default:
      throw unsupportedMediaType(
        'The Content-Encoding is not supported: send the body as it is or compressed with gzip.',
      );
  }
};

/** Reads all bytes. Once `count` throws at a chunk, the rest is read and discarded. */
const collect = (
  request: IncomingMessage,
  decoder: Transform | undefined,
  count: (chunk: Buffer) => void,
): Promise<Buffer[]> =>
  new Promise((resolve, reject) => {
    const source = decoder === undefined ? request : request.pipe(decoder);
    const chunks: Buffer[] = [];
    const refuse = (error: Error) => {
      source.removeListener('data', take);
      if (decoder !== undefined) request.unpipe(decoder);
      decoder?.destroy();
      chunks.length = 0;
      request.resume();
      reject(error);
    };
    const take = (chunk: Buffer) => {
      chunks.push(chunk);
      try {
        count(chunk);
      } catch (error) {
        refuse(error as Error);
      }
    };
    source.on('data', take);
    source.on('end', () => resolve(chunks));
    const fail = () => refuse(malformed('The body ended early or cannot be decompressed.'));
    request.on('error', fail);
    decoder?.on('error', fail);
  });

const oversized = ({ bytes }: BodyRules) => {
  const mebibytes = bytes / 2 ** 20;
  return tooLarge(`The body is too large: send at most ${mebibytes < 1 ? `${bytes / 1024} KiB` : `${mebibytes} MiB`}.`);
};

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Decodes bytes as UTF-8.
 * @throws malformed when they are not UTF-8.
 */
export const decodeUtf8 = (bytes: Buffer): string => decode(utf8, bytes);

const decode = (decoder: TextDecoder, bytes: Buffer | undefined, stream = false): string => {
  try {
    return decoder.decode(bytes, { stream });
  } catch {
    throw malformed('The body is not UTF-8.');
  }
};

/**
 * Bytes that are decoded in one call. Decoding them takes at most a millisecond of the event loop, and the garbage
 * collector does not copy strings of this length.
 */
const decodedAtOnce = 512 * 1024;

/**
 * Decodes the chunks of a body. A large body is decoded within the organization's time slices.
 * @throws malformed when the chunks are not UTF-8.
 */
const decodeChunks = async (chunks: readonly Buffer[], organizationId: string): Promise<string> => {
  const size = chunks.reduce((sum, { length }) => sum + length, 0);
  if (size <= decodedAtOnce) return decodeUtf8(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const pieces: string[] = [];
  for (let group: Buffer[] = [], held = 0, index = 0; index < chunks.length; index += 1) {
    const chunk = chunks[index]!;
    group.push(chunk);
    held += chunk.length;
    if (held < decodedAtOnce && index < chunks.length - 1) continue;
    pieces.push(decode(decoder, group.length === 1 ? chunk : Buffer.concat(group), true));
    [group, held] = [[], 0];
    await timeSlices.ifOver(organizationId);
  }
  pieces.push(decode(decoder, undefined));
  return pieces.join('');
};

/**
 * Runs a parser.
 * @throws malformed when the text is not JSON.
 */
export const orMalformed = <Json>(parse: () => Json): Json => {
  try {
    return parse();
  } catch (error) {
    return asMalformed(error);
  }
};

/**
 * Rethrows an error.
 * @param advice a sentence about what to send instead
 * @throws malformed when the error says that a text is not JSON.
 */
export const asMalformed = (error: unknown, advice?: string): never => {
  if (error instanceof JsonSyntaxError) {
    const message = `The body is not JSON: ${error.message} (line ${error.line}, column ${error.col}).`;
    throw malformed(advice === undefined ? message : `${message} ${advice}`);
  }
  if (error instanceof SyntaxError) throw malformed(`The body is not JSON: ${error.message}.`);
  throw error;
};
