import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { useService } from '../../support/service.js';
import { SlowSender } from '../slow-sender.js';

const service = useService({});

describe('190 concurrent connections', () => {
  it('takes fewer event loop iterations than connections to accept them', async () => {
    let iterations = 0;
    const count = () => {
      iterations += 1;
      counting = setImmediate(count);
    };
    let counting = setImmediate(count);
    const senders = await Promise.all(Array.from({ length: 190 }, () => SlowSender.to(service.url)));
    const answers = senders.map((sender) => once(sender.socket, 'data'));
    for (const sender of senders) sender.socket.write('GET /healthz HTTP/1.1\r\nHost: test\r\n\r\n');
    await Promise.all(answers);
    clearImmediate(counting);
    for (const sender of senders) sender.leave();
    expect(iterations).toBeLessThan(150);
  });
});
