import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { malformed, tooLarge, unsupportedMediaType } from '../errors.js';

/** What a body may be. */
export interface BodyRules {
  /** Mebibytes at most, counted after decompression. */
  mebibytes: number;
  /** Whether it may be NDJSON, one value a line. */
  lines: boolean;
  /** What is said of a body in a type that is not read, where the usual sentence does not help. */
  otherTypes?: string | undefined;
}

/** A body as text, '' where none came. */
export interface BodyText {
  text: string;
  /** Whether it is NDJSON. */
  lines: boolean;
}

const jsonType = /^application\/(json|[\w.-]+\+json)$/;
const linesType = /^application\/(x-)?ndjson$/;

/**
 * Reads a body, decompressed, as UTF-8 text.
 * @throws unsupportedMediaType, tooLarge, or malformed where it ends early, does not decompress or is no UTF-8.
 */
export const readBody = async (request: IncomingMessage, rules: BodyRules): Promise<BodyText> => {
  const { headers } = request;
  const length = headers['content-length'];
  if (length === '0' || (length === undefined && headers['transfer-encoding'] === undefined)) return empty;
  const lines = isLines(headers['content-type'], rules);
  const decoder = decoderOf(headers['content-encoding']);
  const limit = rules.mebibytes * 2 ** 20;
  if (decoder === undefined && Number(length) > limit) throw oversized(rules);
  const bytes = await collect(request, decoder, limit);
  if (bytes === undefined) throw oversized(rules);
  return { text: decodeUtf8(bytes), lines };
};

const empty: BodyText = { text: '', lines: false };

const isLines = (contentType = 'application/json', rules: BodyRules): boolean => {
  const [type = '', ...parameters] = contentType
    .toLowerCase()
    .split(';')
    .map((each) => each.trim());
  const charset = parameters.find((each) => each.startsWith('charset='));
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) {
    throw unsupportedMediaType('Send the body in UTF-8.');
  }
  if (rules.lines && linesType.test(type)) return true;
  if (jsonType.test(type)) return false;
  throw unsupportedMediaType(
    rules.otherTypes ?? 'Send the body as JSON, with the header "Content-Type: application/json".',
  );
};

const decoderOf = (encoding = 'identity'): Transform | undefined => {
  switch (encoding.toLowerCase()) {
    case 'identity':
      return undefined;
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    case 'br':
      return createBrotliDecompress();
    default:
      throw unsupportedMediaType('Send the body as it is or compressed with gzip.');
  }
};

/** All bytes, or undefined where they are more than `limit`. What still comes then is read and forgotten. */
const collect = (
  request: IncomingMessage,
  decoder: Transform | undefined,
  limit: number,
): Promise<Buffer | undefined> =>
  new Promise((resolve, reject) => {
    const source = decoder === undefined ? request : request.pipe(decoder);
    const chunks: Buffer[] = [];
    let size = 0;
    const forget = () => {
      source.removeListener('data', take);
      if (decoder !== undefined) request.unpipe(decoder);
      decoder?.destroy();
      request.resume();
    };
    const take = (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size <= limit) return;
      forget();
      resolve(undefined);
    };
    source.on('data', take);
    source.on('end', () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, size)));
    const fail = () => {
      forget();
      reject(malformed('The body ended early or cannot be decompressed.'));
    };
    request.on('error', fail);
    decoder?.on('error', fail);
  });

const oversized = ({ mebibytes }: BodyRules) => tooLarge(`Send at most ${mebibytes} MiB.`);

const utf8 = new TextDecoder('utf-8', { fatal: true });

const decodeUtf8 = (bytes: Buffer): string => {
  try {
    return utf8.decode(bytes);
  } catch {
    throw malformed('The body is not UTF-8.');
  }
};
