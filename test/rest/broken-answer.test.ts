import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express from 'express';
import { request } from 'undici';
import { answerErrors } from '#http/errors.js';

const reported: unknown[] = [];
const broken = new Error('the source of this answer broke');
let server: Server;
let url = '';

beforeAll(async () => {
  const app = express();
  // In production mode Express prints the errors that reach it.
  app.set('env', 'production');
  app.get('/begun', (_request, response, next) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.write('begun', () => next(broken));
  });
  app.use(answerErrors({ report: (cause) => void reported.push(cause), isConnectionLoss: () => false }));
  await new Promise<void>((done) => {
    server = app.listen(0, '127.0.0.1', () => done());
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await new Promise((done) => server.close(done));
});

describe('REST answer that fails after its first bytes', () => {
  it('closes the connection, so that the client does not take the answer as complete, and reports the error to the log only', async () => {
    const { console: output } = globalThis;
    const { error } = output;
    const printed: unknown[] = [];
    output.error = (...words: unknown[]) => void printed.push(words);
    try {
      const answer = await request(`${url}/begun`);
      await expect(answer.body.text()).rejects.toThrow(/terminated|closed|aborted/);
      expect(printed).toEqual([]);
      expect(reported).toEqual([broken]);
    } finally {
      output.error = error;
    }
  });
});
