import type { IncomingMessage } from 'node:http';
import express, { type RequestHandler } from 'express';
import { malformed } from '../errors.js';
import { JsonSyntaxError } from '../json.js';
import { keepExact } from '../json-plain.js';

/**
 * Reads JSON bodies of so many bytes at most. Numbers are those that JavaScript makes of them; the digits that some lose on
 * the way are kept for the scalar that wants them (`ExactJSON`).
 */
export const readBody = (limit: number): RequestHandler[] => {
  const bytes = new WeakMap<IncomingMessage, Buffer>();
  const keep = (request: IncomingMessage, _response: unknown, body: Buffer): void => void bytes.set(request, body);
  return [
    express.json({ limit, verify: keep }),
    (request, _response, next) => {
      const body = bytes.get(request);
      if (body !== undefined) keepDigits(body, request.body);
      next();
    },
  ];
};

function keepDigits(body: Buffer, parsed: unknown): void {
  try {
    keepExact(new TextDecoder().decode(body), parsed);
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw malformed(`The body is not JSON: ${error.message}.`);
    throw error;
  }
}
