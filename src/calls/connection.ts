import { Agent, type buildConnector, Client, type Dispatcher, Pool } from 'undici';

/**
 * Context that a request's handler receives when the request is written: whether its connection has carried a request
 * before.
 */
export interface CallConnection {
  reused: boolean;
}

/**
 * Creates an agent that keeps connections open between calls. undici's timeouts are off: each covers one part of an
 * answer, so a receiver that sends a byte now and then would pass them all.
 */
export function keptConnections(connect: buildConnector.connector): Agent {
  return new Agent({
    connect,
    headersTimeout: 0,
    bodyTimeout: 0,
    pipelining: 1,
    factory: (origin, options) =>
      new Pool(origin, { ...options, factory: (address, of) => new CountingClient(address, of) }),
  });
}

/** Creates an agent that opens a connection for each call and closes it afterwards (`pipelining: 0`, no keep-alive). */
export function freshConnections(connect: buildConnector.connector): Agent {
  return new Agent({ connect, headersTimeout: 0, bodyTimeout: 0, pipelining: 0 });
}

/**
 * A client with one connection at a time. It counts the requests that the connection carries, which undici does not
 * expose.
 */
class CountingClient extends Client {
  private carried = 0;

  constructor(origin: URL, options: object) {
    super(origin, options);
    this.on('connect', () => {
      this.carried = 0;
    });
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    return super.dispatch(options, {
      ...handler,
      onRequestStart: (controller, context: object | null) => {
        const connection: CallConnection = { reused: this.carried++ > 0 };
        handler.onRequestStart?.(controller, { ...context, ...connection });
      },
    });
  }
}
