import { describe, expect, it } from '@jest/globals';
import { createLog, flatLog, type Log } from '#common/log.js';

describe('redaction of log lines', () => {
  const logged = (write: (log: Log) => void): unknown => {
    let line = '';
    write(createLog('info', { write: (text) => (line += text) }, 3));
    return JSON.parse(line);
  };
  const secret = { token: 'a', header: { cookie: 'b', inner: { password: 'c' } } };

  it('redacts secret names at the top level and two levels below', () => {
    const line = logged((log) => log.info(secret, 'Refused'));
    expect(line).toMatchObject({
      token: '[redacted]',
      header: { cookie: '[redacted]', inner: { password: '[redacted]' } },
    });
  });

  it('redacts secret names at the top level of a line without objects', () => {
    const line = logged((log) => flatLog(log).info({ path: '/a', token: 'a' }, 'request'));
    expect(line).toMatchObject({ level: 'info', worker: 3, path: '/a', token: '[redacted]', msg: 'request' });
  });
});
