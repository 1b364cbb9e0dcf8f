/** An object that ends once and then emits `close`: the response to a request, or a message of another protocol. */
export interface Ending {
  readonly closed: boolean;
  once(event: 'close', listener: () => void): unknown;
  removeListener(event: 'close', listener: () => void): unknown;
}
