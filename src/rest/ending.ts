/** Something that ends once and says so with `close`: the answer of a request, or a message of another protocol. */
export interface Ending {
  readonly closed: boolean;
  once(event: 'close', listener: () => void): unknown;
  removeListener(event: 'close', listener: () => void): unknown;
}
