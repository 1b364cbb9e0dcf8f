import type { GraphError } from '../../../api/graph.js';

/** The server's answer: parts by their names in the request, and the refusals of parts. */
export interface Answer {
  readonly data: Readonly<Record<string, unknown>>;
  readonly refusals: ReadonlyMap<string, GraphError>;
}

/** Takes a panel's part out of the answer. It throws when the server refused the part. */
export type Reader<Part> = (answer: Answer) => Part;

/** Devices of a choice. The choice may have more devices than the request reads. */
export interface Devices<Device> {
  readonly items: readonly Device[];
  readonly total: number;
}
