import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A client that writes raw HTTP, as slowly and incompletely as a test wants. */
export class SlowSender {
  private text = '';

  private constructor(readonly socket: Socket) {
    socket.setEncoding('latin1').on('data', (text: string) => {
      this.text += text;
    });
    socket.on('error', () => undefined);
  }

  /** Connects to an origin. */
  static async to(origin: string): Promise<SlowSender> {
    const { hostname, port } = new URL(origin);
    const socket = connect(Number(port), hostname);
    const sender = new SlowSender(socket);
    await once(socket, 'connect');
    return sender;
  }

  /** Starts a POST with a chunked body, and leaves it open. */
  begin(path: string, headers: Readonly<Record<string, string>>): this {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    this.socket.write(`POST ${path} HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n${lines.join('')}\r\n`);
    return this;
  }

  chunk(bytes: Buffer): this {
    this.socket.write(`${bytes.length.toString(16)}\r\n`);
    this.socket.write(bytes);
    this.socket.write('\r\n');
    return this;
  }

  end(): this {
    this.socket.write('0\r\n\r\n');
    return this;
  }

  /** The bytes received so far. */
  get answer(): string {
    return this.text;
  }

  /** Resolves with the status of the first answer, or undefined when the connection closes without one. */
  async status(): Promise<number | undefined> {
    for (;;) {
      const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(this.text) ?? [];
      if (status !== undefined) return Number(status);
      if (this.socket.destroyed) return undefined;
      await Promise.race([once(this.socket, 'data'), once(this.socket, 'close')]).catch(() => undefined);
    }
  }

  async closed(): Promise<void> {
    if (!this.socket.destroyed) await once(this.socket, 'close');
  }

  leave(): void {
    this.socket.destroy();
  }
}
